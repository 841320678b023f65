import RemoteDataExecution
import Foundation
import Synchronization

/// One socket, shared by its user and the loop's thread.
///
/// SAFETY: `loopSide` is touched by the loop's thread alone; everything else is constant or behind the lock.
final class LWSConnection: @unchecked Sendable {
    fileprivate struct State {
        var incoming: ReceiveBuffer
        var reader: Handoff<[WebSocketMessage], NetworkError>?
        var taker: MessageTaker?
        /// Whether something is being given to somebody, who may turn out not to take it.
        var isGiving = false
        var outgoing: [Outgoing] = []
        var unsentBytes = 0
        var nextID = 0
        var end: Result<Void, NetworkError>?
    }

    let request: WebSocketRequest
    let endpoint: Endpoint
    /// The numeric address to connect to.
    let address: String
    /// The time for the handshake.
    let limit: Duration
    let extraCAFile: String?
    let observe: NetworkObserver?
    /// Resumed with the subprotocol when the socket is open.
    let handshake = Handoff<String?, NetworkError>()
    var loopSide: LWSLoopSide

    private let state: Mutex<State>

    init(
        _ request: WebSocketRequest,
        _ endpoint: Endpoint,
        address: String,
        limit: Duration,
        options: LWSTransport.Options
    ) {
        self.request = request
        self.endpoint = endpoint
        self.address = address
        self.limit = limit
        extraCAFile = options.extraCAFile
        observe = options.observe
        loopSide = LWSLoopSide(request.limits)
        state = Mutex(State(incoming: ReceiveBuffer(request.limits)))
    }

    // MARK: Sending

    /// Puts a message into the queue; true when the loop must be told.
    func enqueue(_ message: WebSocketMessage) throws(NetworkError) -> (Outgoing, wakes: Bool) {
        let limit = request.limits.unsentBytes
        let result = state.withLock { state -> Result<(Outgoing, Bool), NetworkError> in
            if let end = state.end { return .failure(Self.closed(end)) }
            guard state.unsentBytes == 0 || state.unsentBytes + message.bytes.count <= limit else {
                return .failure(NetworkError(.overloaded, "More than \(limit) bytes are waiting to be sent."))
            }
            state.nextID += 1
            let entry = Outgoing(message, id: state.nextID)
            state.outgoing.append(entry)
            state.unsentBytes += entry.count
            return .success((entry, state.outgoing.count == 1))
        }
        return try result.get()
    }

    /// Takes back a message that has not begun to be sent.
    func withdraw(_ id: Int) {
        state.withLock { state in
            guard let index = state.outgoing.firstIndex(where: { $0.id == id }) else { return }
            state.unsentBytes -= state.outgoing.remove(at: index).count
        }
    }

    /// The next message to send.
    func dequeue() -> Outgoing? { state.withLock { $0.outgoing.isEmpty ? nil : $0.outgoing.removeFirst() } }

    /// A message has been handed to the operating system.
    func sent(_ message: Outgoing) {
        state.withLock { $0.unsentBytes -= message.count }
        message.handoff.finish(.success(()))
        observe?(.sent(url: request.url, bytes: message.count))
    }

    // MARK: Receiving

    /// Gives what has arrived to a reader, or makes it wait; true when reading from the network is to go on.
    ///
    /// A reader that was cancelled meanwhile takes nothing: what it was to get stays for the next one.
    func read(into reader: Handoff<[WebSocketMessage], NetworkError>) -> Bool {
        let isAlone = state.withLock { state in
            if let other = state.reader, !other.isFinished { return false }
            state.reader = reader
            return true
        }
        guard isAlone else {
            reader.finish(.failure(NetworkError(.invalidRequest, "The socket has a reader already.")))
            return false
        }
        return answerReader()
    }

    /// A reader has given up.
    func stopReading(_ reader: Handoff<[WebSocketMessage], NetworkError>) {
        state.withLock { if $0.reader === reader { $0.reader = nil } }
    }

    /// Has few messages taken on the loop's thread while the reader waits.
    func setTaker(_ taker: @escaping MessageTaker) { state.withLock { $0.taker = taker } }

    /// A message has arrived, for ``handOver()``; true when nothing more is to be read from the network.
    func deliver(_ message: WebSocketMessage) -> Bool {
        observe?(.received(url: request.url, bytes: message.bytes.count))
        return state.withLock { $0.end == nil && $0.incoming.add(message) }
    }

    /// Gives all that came together to the reader, if it waits; true when reading from the network is to go on.
    func handOver() -> Bool {
        guard let (taker, messages, resumes) = state.withLock({ $0.partForTaker() }) else {
            return answerReader()
        }
        let isTaken = taker(messages)
        state.withLock { $0.given(messages, isTaken: isTaken, resumes) }
        return answerReader() || isTaken && resumes
    }

    /// Gives what has arrived, or the end, to the reader that waits; true when reading from the network is to go on.
    private func answerReader() -> Bool {
        var resumesReading = false
        // Another one may have come to wait meanwhile.
        while let (reader, answer, resumes) = state.withLock({ $0.partForReader() }) {
            let isTaken = reader.finish(answer)
            state.withLock { $0.given((try? answer.get()) ?? [], isTaken: isTaken, resumes) }
            if isTaken, resumes { resumesReading = true }
        }
        return resumesReading
    }

    // MARK: The end

    /// The socket has ended: in order, or by a failure that readers learn after what has arrived before it.
    func end(_ result: Result<Void, NetworkError>) {
        let unsent = state.withLock { state -> [Outgoing]? in
            guard state.end == nil else { return nil }
            state.end = result
            defer { state.outgoing = [] }
            return state.outgoing
        }
        guard let unsent else { return }
        _ = answerReader()
        for message in unsent { message.handoff.finish(.failure(Self.closed(result))) }
        if case .failure(let error) = result { handshake.finish(.failure(error)) }
    }

    private static func closed(_ end: Result<Void, NetworkError>) -> NetworkError {
        switch end {
        case .success: NetworkError(.closed, "The socket has been closed.")
        case .failure(let error): error
        }
    }
}

extension LWSConnection.State {
    /// Few messages for the taker, while a reader waits, and whether reading from the network is to go on; nil otherwise.
    mutating func partForTaker() -> (MessageTaker, [WebSocketMessage], resumes: Bool)? {
        guard !isGiving, let reader, !reader.isFinished, incoming.isSmall, let taker else { return nil }
        isGiving = true
        let (messages, resumes) = incoming.takeAll()
        return (taker, messages, resumes)
    }

    /// What is there for the reader that waits, and whether reading from the network is to go on; nil otherwise.
    mutating func partForReader() -> (
        Handoff<[WebSocketMessage], NetworkError>, Result<[WebSocketMessage], NetworkError>, resumes: Bool
    )? {
        guard !isGiving, let reader, !incoming.isEmpty || end != nil else { return nil }
        (self.reader, isGiving) = (nil, true)
        guard incoming.isEmpty, let end else {
            let (messages, resumes) = incoming.takeAll()
            return (reader, .success(messages), resumes)
        }
        return (reader, end.map { [] }, false)
    }

    /// What was given has been taken, or stays for the next one.
    mutating func given(_ messages: [WebSocketMessage], isTaken: Bool, _ resumes: Bool) {
        isGiving = false
        if !isTaken { incoming.putBack(messages, pauses: resumes) }
    }
}
