import RemoteDataExecution
import Testing

@testable import RemoteDataNetwork

@Suite struct CurlLoopTests {
    private func perform(_ transfer: CurlTransfer, on loop: CurlLoop) async throws -> HTTPResponse {
        let result = await withCheckedContinuation { continuation in
            if transfer.handoff.start(continuation) { loop.submit(transfer) }
        }
        return try result.get()
    }

    @Test func whatIsCancelledBeforeItIsSubmittedIsNotSent() async throws {
        let server = try LoopbackServer.answering { LoopbackAnswer(text: $0.target) }
        var options = CurlTransport.Options()
        options.requestsPerServer = 1
        let loop = try #require(CurlLoop(options))
        let origin = try Endpoint(server.url)
        let write = CurlTransfer(HTTPRequest("POST", server.url + "/gone", body: [1]), origin: origin)
        let result = await withCheckedContinuation { continuation in
            _ = write.handoff.start(continuation)
            write.handoff.finish(.failure(.cancelled))
            loop.submit(write)
        }
        #expect(throws: NetworkError.self) { try result.get() }
        // It would have run before this one, as only one may at a time.
        let url = server.url + "/next"
        let answer = try await inTime {
            try await perform(CurlTransfer(HTTPRequest("GET", url), origin: origin), on: loop)
        }
        #expect(answer.body == Array("/next".utf8))
        #expect(server.requests.map(\.target) == ["/next"])
        loop.stop()
    }
}
