import RemoteDataNetwork
import RemoteDataTesting
import Synchronization

/// Answers requests from memory, and writes them down.
final class StubTransport: HTTPTransport {
    typealias Answer = @Sendable (HTTPRequest, _ number: Int) async throws(NetworkError) -> HTTPResponse

    private let answer: Answer
    let sent = Watched<[HTTPRequest]>([])

    init(_ answer: @escaping Answer) { self.answer = answer }

    /// Answers with statuses in turn, the last of them for ever.
    convenience init(statuses: Int..., headers: HTTPHeaders = [:]) {
        self.init { _, number in
            HTTPResponse(status: statuses[min(number, statuses.count) - 1], headers: headers)
        }
    }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        sent.change { $0.append(request) }
        return try await answer(request, sent.value.count)
    }
}
