import Testing

@testable import RemoteDataServer

struct HTTPConnectionTests {
    typealias Action = HTTPConnection.Action

    private static let get = Array("GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
    private static let deadlines = TableServer.Deadlines()

    fileprivate func connection(
        token: String? = nil,
        isFull: Bool = false
    ) -> Subject {
        var configuration = ConnectionConfiguration()
        configuration.authorization = Authorization(token: token)
        configuration.limits.bodyBytes = 100
        configuration.lingerLimit = 1_000
        var machine = HTTPConnection(configuration)
        if isFull { machine.admit = { _ in .tooManyConnections } }
        let connection = Subject(machine)
        #expect(connection.opened() == [.setDeadline(Self.deadlines.request)])
        return connection
    }

    private func work(_ actions: [Action]) -> HTTPConnection.Work? {
        actions.compactMap { if case .perform(let work) = $0 { work } else { nil } }.first
    }

    private func written(_ actions: [Action]) -> String {
        let bytes = actions.flatMap { action -> [UInt8] in
            if case .write(let bytes) = action { bytes } else { [] }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func aRequestIsPerformedAndNothingReadMeanwhile() {
        let connection = connection()
        let actions = connection.received(Self.get)
        #expect(work(actions)?.head?.target == "/a")
        #expect(actions.first == .read(false))
        #expect(connection.received(Self.get) == [])
    }

    @Test func anAnswerIsWrittenAndTheNextRequestAwaited() {
        let connection = connection()
        _ = connection.received(Self.get)
        let actions = connection.answered(HTTPAnswer(200, body: [49]), date: "now")
        #expect(written(actions).hasPrefix("HTTP/1.1 200 OK\r\nDate: now\r\nContent-Length: 1\r\n"))
        #expect(written(actions).hasSuffix("\r\n\r\n1"))
        #expect(!written(actions).contains("Connection: close"))
        #expect(connection.wrotePart() == [.setDeadline(Self.deadlines.send)])
        #expect(connection.written() == [.read(true), .setDeadline(Self.deadlines.keepAlive)])
        #expect(work(connection.received(Self.get)) != nil)
    }

    @Test func aPipelinedRequestIsPerformedAfterTheFirst() {
        let connection = connection()
        #expect(work(connection.received(Self.get + Self.get)) != nil)
        _ = connection.answered(HTTPAnswer(200), date: "")
        #expect(work(connection.written()) != nil)
    }

    @Test func anUnfinishedPipelinedRequestHasADeadline() {
        let connection = connection()
        _ = connection.received(Self.get + Self.get.prefix(5))
        _ = connection.answered(HTTPAnswer(200), date: "")
        #expect(connection.written() == [.read(true), .setDeadline(Self.deadlines.request)])
    }

    @Test func theBodyOfAnAnswerToHeadIsLeftOut() {
        let connection = connection()
        _ = connection.received(Array("HEAD /a HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
        let text = written(connection.answered(HTTPAnswer(200, body: [49, 50]), date: ""))
        #expect(text.contains("Content-Length: 2\r\n"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test(arguments: [
        "GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: Close\r\n\r\n",
    ])
    func aConnectionThatIsNotKeptEndsAfterTheAnswer(request: String) {
        let connection = connection()
        _ = connection.received(Array(request.utf8))
        #expect(written(connection.answered(HTTPAnswer(200), date: "")).contains("Connection: close\r\n"))
        #expect(connection.written() == [.finishWriting, .read(true), .setDeadline(Self.deadlines.linger)])
        #expect(connection.received(Self.get) == [])
        #expect(connection.deadlinePassed(date: "") == [.close])
    }

    @Test func permissionToSendABodyIsGivenOnce() {
        let connection = connection()
        let head = "POST /a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
        #expect(written(connection.received(Array(head.utf8))) == "HTTP/1.1 100 Continue\r\n\r\n")
        #expect(connection.written() == [])
        #expect(connection.received(Array("ab".utf8)) == [])
        #expect(work(connection.received(Array("cd".utf8)))?.body == Array("abcd".utf8)[...])
    }

    @Test func aBodyTooLargeIsRefusedWithoutReadingIt() {
        let connection = connection()
        let head =
            "POST /a HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 101\r\n\r\n"
        let actions = connection.received(Array(head.utf8))
        #expect(written(actions) == "")
        #expect(work(actions)?.refusal?.status == 413)
    }

    @Test func aBodyWithoutTheTokenIsRefusedWithoutReadingIt() {
        let connection = connection(token: "secret")
        let head = "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 50\r\n\r\n"
        #expect(work(connection.received(Array(head.utf8)))?.refusal?.code == 3064)
        #expect(written(connection.answered(HTTPAnswer(401), date: "")).contains("Connection: close"))
    }

    @Test func aRequestWithoutTheTokenKeepsItsConnection() {
        let connection = connection(token: "secret")
        #expect(work(connection.received(Self.get))?.refusal?.status == 401)
        #expect(!written(connection.answered(HTTPAnswer(401), date: "")).contains("Connection: close"))
    }

    @Test func oneConnectionTooManyIsToldSo() {
        let connection = connection(isFull: true)
        #expect(work(connection.received(Self.get))?.refusal?.status == 429)
        #expect(written(connection.answered(HTTPAnswer(429), date: "")).contains("Connection: close"))
    }

    @Test func silenceClosesTheConnection() {
        let connection = connection()
        #expect(connection.deadlinePassed(date: "") == [.close])
        #expect(connection.received(Self.get) == [])
    }

    @Test func anUnfinishedRequestIsAnsweredAtTheDeadline() {
        let connection = connection()
        #expect(connection.received(Self.get.prefix(7)) == [.setDeadline(Self.deadlines.request)])
        // More of the same head does not buy more time.
        #expect(connection.received(Self.get.dropFirst(7).prefix(3)) == [])
        #expect(work(connection.deadlinePassed(date: ""))?.refusal?.status == 408)
    }

    @Test func aStorageThatDoesNotAnswerIsToldOf() {
        let connection = connection()
        #expect(work(connection.received(Self.get)) != nil)
        var (looks, actions) = (0, connection.deadlinePassed(date: "now"))
        while actions == [.setDeadline(Self.deadlines.hangUp)] {
            looks += 1
            actions = connection.deadlinePassed(date: "now")
        }
        #expect(Double(looks) == Self.deadlines.answer / Self.deadlines.hangUp - 1)
        let text = written(actions)
        #expect(text.hasPrefix("HTTP/1.1 503 "))
        #expect(text.contains("Connection: close"))
        #expect(connection.answered(HTTPAnswer(200), date: "") == [])
    }

    @Test("Where a client has hung up, nothing more is done for it")
    func hungUp() {
        let connection = connection()
        _ = connection.received(Self.get)
        #expect(connection.deadlinePassed(date: "", hasHungUp: true) == [.close])
        #expect(connection.answered(HTTPAnswer(200), date: "") == [])
    }

    @Test func aClientThatDoesNotReadIsLetGo() {
        let connection = connection()
        _ = connection.received(Self.get)
        _ = connection.answered(HTTPAnswer(200), date: "")
        #expect(connection.deadlinePassed(date: "") == [.close])
    }

    @Test func aBodyThatNeverEndsIsNotTakenInForever() {
        let connection = connection()
        _ = connection.received(Array("nonsense\r\n\r\n".utf8))
        _ = connection.answered(HTTPAnswer(400), date: "")
        _ = connection.written()
        #expect(connection.received([UInt8](repeating: 0, count: 900)) == [])
        #expect(connection.received([UInt8](repeating: 0, count: 900)) == [.close])
    }

    @Test func stoppingClosesWhatWaits() {
        let connection = connection()
        #expect(connection.stop() == [.close])
    }

    @Test func stoppingFinishesWhatIsUnderWay() {
        let connection = connection()
        _ = connection.received(Self.get)
        #expect(connection.stop() == [])
        #expect(written(connection.answered(HTTPAnswer(200), date: "")).contains("Connection: close"))
    }

    @Test func stoppingWhileAnAnswerIsWrittenEndsAfterIt() {
        let connection = connection()
        _ = connection.received(Self.get)
        _ = connection.answered(HTTPAnswer(200), date: "")
        #expect(connection.stop() == [])
        #expect(connection.written().first == .finishWriting)
    }

    @Test func aRequestThatEndsWhileStoppingIsRefused() {
        let connection = connection()
        _ = connection.received(Self.get.prefix(10))
        #expect(connection.stop() == [])
        #expect(work(connection.received(Self.get.dropFirst(10)))?.refusal?.status == 503)
    }

    @Test func aWebSocketTakesOverWithTheBytesBehindItsRequest() throws {
        let connection = connection()
        let bytes = Array(TestConnection.handshake().utf8) + [1, 2, 3]
        guard case .upgrade(let upgrade, let firstBytes) = connection.received(bytes).last else {
            Issue.record("no upgrade")
            return
        }
        #expect(firstBytes == [1, 2, 3])
        #expect(upgrade.key == "dGhlIHNhbXBsZSBub25jZQ==")
        #expect(connection.received([4]) == [])
    }

    @Test(arguments: [
        (["Sec-WebSocket-Version": "8"], 426), (["Sec-WebSocket-Key": "short"], 400),
        (["Sec-WebSocket-Protocol": "other"], 400), (["Connection": "keep-alive"], 426),
    ])
    func aWebSocketThatCannotBeIsRefused(fields: [String: String], status: Int) {
        let connection = connection()
        let actions = connection.received(Array(TestConnection.handshake(fields).utf8))
        #expect(work(actions)?.refusal?.status == status)
    }

    @Test func aWebSocketWithoutTheTokenIsRefused() {
        let connection = connection(token: "secret")
        #expect(work(connection.received(Array(TestConnection.handshake().utf8)))?.refusal?.status == 401)
    }
}

/// A connection whose events can stand inside an expectation.
private final class Subject {
    private var connection: HTTPConnection
    init(_ connection: HTTPConnection) { self.connection = connection }
    func opened() -> [HTTPConnection.Action] { connection.opened() }
    func received(_ bytes: some Collection<UInt8>) -> [HTTPConnection.Action] { connection.received(bytes) }
    func answered(_ answer: HTTPAnswer, date: String) -> [HTTPConnection.Action] {
        connection.answered(answer, date: date)
    }
    func wrotePart() -> [HTTPConnection.Action] { connection.wrotePart() }
    func written() -> [HTTPConnection.Action] { connection.written() }
    func deadlinePassed(date: String, hasHungUp: Bool = false) -> [HTTPConnection.Action] {
        connection.deadlinePassed(date: date, hasHungUp: hasHungUp)
    }
    func stop() -> [HTTPConnection.Action] { connection.stop() }
}
