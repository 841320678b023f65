import RemoteDataNetwork

/// Gives refusals the HTTP status that says the same, whatever status they came with.
///
/// So whoever asks again when credentials are refused or a server is busy does so here too.
struct BackendlessTransport: HTTPTransport {
    let base: any HTTPTransport

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        var answer = try await base.send(request)
        guard let problem = BackendlessProblem(answer), answer.isSuccess || problem.isAboutToken else {
            return answer
        }
        answer.status = problem.status
        return answer
    }
}
