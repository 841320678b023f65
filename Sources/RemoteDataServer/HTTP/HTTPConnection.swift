/// One connection's HTTP, from opening to closing: decides what to do next, does nothing itself.
///
/// Each method is an event and returns what to do, in order. One request is answered at a time; nothing is
/// read meanwhile, so that a client that sends faster than it is answered waits (and no buffer grows).
struct HTTPConnection {
    /// What to do.
    enum Action: Equatable {
        /// Have a request answered; ``answered(_:date:)`` follows.
        case perform(Work)
        /// Send bytes; ``written()`` follows when all are out.
        case write([UInt8])
        /// Start or stop reading.
        case read(Bool)
        /// Have ``deadlinePassed(date:)`` called after a time, in place of any time set before; nil for
        /// never.
        case setDeadline(Duration?)
        /// Go on as a WebSocket, whose first bytes may have come in already.
        case upgrade(WebSocketUpgrade, firstBytes: [UInt8])
        /// Tell the client that nothing more is sent, but take in what is still under way, so that it reads
        /// the answer.
        case finishWriting
        /// Close.
        case close
    }

    /// A request and, when it needs no table, its answer.
    struct Work: Equatable {
        var head: HTTPRequestHead?
        var body: ArraySlice<UInt8> = []
        var refusal: HTTPRefusal?
    }

    private enum Phase: Equatable {
        case waiting, receiving, working, answering, lingering, closed
    }

    /// Returns why there is no room for a caller whose request is permitted; nil where there
    /// is.
    var admit: (Caller) -> HTTPRefusal? = { _ in nil }
    private let configuration: ConnectionConfiguration
    private var parser: HTTPRequestParser
    private var phase = Phase.waiting
    private var isReading = true
    private var isStopping = false
    /// How the answer under way is to be sent, and whether anything can follow it.
    private var isHead = false
    private var closesAfterAnswer = false
    private var lingered = 0
    private var workBytes = 0
    /// How much of the time for an answer is left.
    private var answerTime = Duration.zero

    /// Whether the next request is awaited, of which nothing has come.
    var isWaiting: Bool { phase == .waiting }

    /// How many bytes of requests the connection keeps, the one being answered included.
    var heldBytes: Int { parser.heldBytes + (phase == .working ? workBytes : 0) }

    /// Starts a connection.
    ///
    /// - Parameter configuration: Limits, deadlines, and who may ask.
    init(_ configuration: ConnectionConfiguration) {
        self.configuration = configuration
        parser = HTTPRequestParser(
            headerLimit: configuration.limits.headerBytes,
            bodyLimit: configuration.limits.bodyBytes
        )
    }

    /// The connection was accepted.
    mutating func opened() -> [Action] { [.setDeadline(configuration.deadlines.request)] }

    /// Bytes came in.
    mutating func received(_ bytes: some Collection<UInt8>) -> [Action] {
        switch phase {
        case .closed: return []
        case .lingering:
            lingered += bytes.count
            return lingered > configuration.lingerLimit ? close() : []
        case .waiting, .receiving:
            parser.append(bytes)
            return proceed()
        case .working, .answering:
            parser.append(bytes)
            return []
        }
    }

    /// All connections together keep more than they may, and this one has just added to it.
    mutating func overloaded() -> [Action] {
        guard phase == .receiving else { return [] }
        parser = HTTPRequestParser(headerLimit: 0, bodyLimit: 0)
        let refusal = HTTPRefusal(
            503,
            1503,
            "The server is busy with other large requests.",
            fields: [HTTPField(name: "Retry-After", value: "1")]
        )
        return refuse(refusal, head: nil)
    }

    /// A request was answered.
    mutating func answered(_ answer: HTTPAnswer, date: String) -> [Action] {
        guard phase == .working else { return [] }
        phase = .answering
        closesAfterAnswer = closesAfterAnswer || answer.closes || isStopping
        let bytes = answer.serialized(withoutBody: isHead, closing: closesAfterAnswer, date: date)
        return [.write(bytes), .setDeadline(configuration.deadlines.send)]
    }

    /// Part of the bytes to send went out.
    mutating func wrotePart() -> [Action] {
        phase == .answering ? [.setDeadline(configuration.deadlines.send)] : []
    }

    /// All bytes went out.
    mutating func written() -> [Action] {
        guard phase == .answering else { return [] }
        guard closesAfterAnswer || isStopping else {
            phase = .waiting
            return proceed(isNew: true)
        }
        phase = .lingering
        return [.finishWriting] + reading(true) + [.setDeadline(configuration.deadlines.linger)]
    }

    /// The time set last has passed.
    ///
    /// - Parameters:
    ///   - date: The time as HTTP writes it.
    ///   - hasHungUp: Whether the client sends nothing more, so that no one waits for an answer that takes
    ///     long.
    /// - Returns: What to do.
    mutating func deadlinePassed(date: String, hasHungUp: Bool = false) -> [Action] {
        switch phase {
        case .waiting, .answering, .lingering, .closed: return close()
        case .receiving:
            let seconds = configuration.deadlines.request.components.seconds
            return refuse(
                HTTPRefusal(408, 1408, "The request did not come in whole within \(seconds) s."),
                head: nil
            )
        case .working where hasHungUp: return close()
        case .working where answerTime > .zero: return [.setDeadline(nextLook())]
        case .working:
            closesAfterAnswer = true
            let refusal = HTTPRefusal(
                503,
                1503,
                "The storage did not answer in time; a write may or may not have been made.",
                fields: [HTTPField(name: "Retry-After", value: "5")]
            )
            return answered(refusal.answer, date: date)
        }
    }

    /// The server is going away.
    mutating func stop() -> [Action] {
        isStopping = true
        switch phase {
        case .waiting: return close()
        case .receiving, .working, .answering, .lingering, .closed: return []
        }
    }

    private mutating func proceed(isNew: Bool = false) -> [Action] {
        let event = parser.next()
        switch event {
        case .none:
            let wasWaiting = phase == .waiting
            guard parser.isInsideRequest else {
                phase = .waiting
                return isNew ? reading(true) + [.setDeadline(configuration.deadlines.keepAlive)] : []
            }
            phase = .receiving
            return reading(true) + (wasWaiting ? [.setDeadline(configuration.deadlines.request)] : [])
        case .head(let head):
            if let refusal = refusal(of: head) { return refuse(refusal, head: head) }
            phase = .receiving
            let permission: [Action] = head.expectsContinue ? [.write(HTTPAnswer.continuation)] : []
            // The body has as long as the head had.
            return permission + [.setDeadline(configuration.deadlines.request)] + proceed()
        case .request(let request):
            if let refusal = refusal(of: request.head) {
                closesAfterAnswer = refusal.status == 429 || !request.head.keepsAlive
                return perform(Work(head: request.head, refusal: refusal))
            }
            if WebSocketUpgrade.isAsked(by: request.head) { return upgrade(request) }
            closesAfterAnswer = !request.head.keepsAlive
            return perform(Work(head: request.head, body: request.body))
        case .refusal(let refusal): return refuse(refusal, head: nil)
        }
    }

    private func refusal(of head: HTTPRequestHead) -> HTTPRefusal? {
        if isStopping {
            return HTTPRefusal(
                503,
                1503,
                "The server is stopping.",
                fields: [HTTPField(name: "Retry-After", value: "5")]
            )
        }
        do throws(HTTPRefusal) {
            return admit(try configuration.authorization.caller(of: head))
        } catch { return error }
    }

    private mutating func upgrade(_ request: HTTPRequest) -> [Action] {
        do {
            guard Route.isChanges(request.head.target) else {
                throw HTTPRefusal.unreadable("WebSockets are at /api/changes.")
            }
            var upgrade = try WebSocketUpgrade(request.head)
            upgrade.caller = try configuration.authorization.caller(of: request.head)
            phase = .closed
            return [.upgrade(upgrade, firstBytes: parser.takeRest())]
        } catch {
            return refuse((error as? HTTPRefusal) ?? .unreadable("This is no WebSocket."), head: request.head)
        }
    }

    /// Answers with an error behind which nothing can be read.
    private mutating func refuse(_ refusal: HTTPRefusal, head: HTTPRequestHead?) -> [Action] {
        closesAfterAnswer = true
        return perform(Work(head: head, refusal: refusal))
    }

    private mutating func perform(_ work: Work) -> [Action] {
        phase = .working
        workBytes = work.body.count
        isHead = work.head?.method == "HEAD"
        answerTime = configuration.deadlines.answer
        return reading(false) + [.setDeadline(nextLook()), .perform(work)]
    }

    /// When to look next whether the client is still there, while it waits for an answer.
    private mutating func nextLook() -> Duration {
        let time = min(max(configuration.deadlines.hangUp, .milliseconds(1)), answerTime)
        answerTime -= time
        return time
    }

    private mutating func reading(_ wanted: Bool) -> [Action] {
        guard wanted != isReading else { return [] }
        isReading = wanted
        return [.read(wanted)]
    }

    private mutating func close() -> [Action] {
        phase = .closed
        return [.close]
    }
}

/// What all connections of a server share.
struct ConnectionConfiguration: Sendable {
    var limits = TableServer.Limits()
    var deadlines = TableServer.Deadlines()
    var authorization = Authorization(token: nil)
    /// How much of an unread body is taken in after the answer; beyond that the client must live with a
    /// reset.
    var lingerLimit = 64 << 20
}
