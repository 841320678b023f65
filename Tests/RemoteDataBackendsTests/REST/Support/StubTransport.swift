import RemoteDataExecution
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization

/// Answers requests from memory and keeps them.
final class StubTransport: HTTPTransport {
    private let requests = Mutex<[HTTPRequest]>([])
    private let answer: @Sendable (HTTPRequest) throws(NetworkError) -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest) throws(NetworkError) -> HTTPResponse) {
        self.answer = answer
    }

    /// Answers one after another, the last one for ever.
    convenience init(_ answers: HTTPResponse...) {
        let left = Mutex(answers[...])
        self.init { _ in
            left.withLock { left in
                left.count > 1 ? left.removeFirst() : left.first ?? HTTPResponse(status: 500)
            }
        }
    }

    /// What was sent so far.
    var sent: [HTTPRequest] { requests.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        requests.withLock { $0.append(request) }
        return try answer(request)
    }

    /// A server over this transport, whose address is never asked for.
    func server(_ configuration: RESTConfiguration = RESTConfiguration()) throws -> RESTServer {
        var configuration = configuration
        if configuration.clock is TimerClock { configuration.attempts = 1 }
        return try RESTServer(
            "http://example.com",
            configuration: configuration,
            transport: self,
            sockets: FakeSockets(),
            chance: { 0.5 }
        )
    }

    /// A table `people` on such a server.
    func table(_ configuration: RESTConfiguration = RESTConfiguration()) throws -> RESTTable {
        try server(configuration).table("people")
    }
}

extension HTTPResponse {
    /// An answer of JSON.
    static func json(
        _ text: String,
        status: Int = 200,
        revision: Int? = nil,
        epoch: String? = nil,
        etag: String? = nil
    ) -> HTTPResponse {
        var headers: HTTPHeaders = ["Content-Type": "application/json"]
        headers["Table-Revision"] = revision.map { "\($0)" }
        headers["Table-Epoch"] = epoch
        headers["ETag"] = etag
        return HTTPResponse(status: status, headers: headers, body: Array(text.utf8))
    }
}

/// The error of a call that must fail.
func failure<Value>(
    _ body: () async throws(RemoteDataError) -> Value
) async -> RemoteDataError? {
    do throws(RemoteDataError) {
        _ = try await body()
        return nil
    } catch { return error }
}
