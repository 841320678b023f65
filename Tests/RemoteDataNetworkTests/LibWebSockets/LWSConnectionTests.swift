import RemoteDataExecution
import RemoteDataTesting
import Testing

@testable import RemoteDataNetwork

/// What a connection holds for its reader, without a socket.
@Suite struct LWSConnectionTests {
    private typealias Reader = Handoff<[WebSocketMessage], NetworkError>

    private func connection(bufferedMessages: Int = 100) throws -> LWSConnection {
        var request = WebSocketRequest("ws://a/")
        request.limits.bufferedMessages = bufferedMessages
        return LWSConnection(
            request,
            try Endpoint(request.url),
            address: "",
            limit: .seconds(1),
            options: LWSTransport.Options()
        )
    }

    /// Reads once; the reader is cancelled between its start and its read if asked for.
    private func read(
        _ connection: LWSConnection,
        isCancelled: Bool = false
    ) async -> (texts: [String]?, resumes: Bool) {
        let reader = Reader()
        let resumes = Watched(false)
        let answer = await withCheckedContinuation { continuation in
            _ = reader.start(continuation)
            if isCancelled { reader.finish(.failure(.cancelled)) }
            let goesOn = connection.read(into: reader)
            resumes.change { $0 = goesOn }
        }
        return ((try? answer.get())?.map(\.text), resumes.value)
    }

    @Test func aReaderCancelledBeforeItReadsTakesNothing() async throws {
        let connection = try connection()
        for text in ["1", "2"] { _ = connection.deliver(.text(text)) }
        let cancelled = await read(connection, isCancelled: true)
        #expect(cancelled.texts == nil)
        _ = connection.deliver(.text("3"))
        #expect(await read(connection).texts == ["1", "2", "3"])
    }

    @Test func aReaderCancelledBeforeItReadsLeavesThePauseAsItIs() async throws {
        let connection = try connection(bufferedMessages: 2)
        let pauses = ["1", "2"].map { connection.deliver(.text($0)) }
        #expect(pauses == [false, true])
        let cancelled = await read(connection, isCancelled: true)
        #expect(!cancelled.resumes)
        let next = await read(connection)
        #expect(next.texts == ["1", "2"])
        #expect(next.resumes)
    }

    @Test func aCancelledReaderThatWaitsGetsNoMessage() async throws {
        let connection = try connection()
        _ = await read(connection, isCancelled: true)
        _ = connection.deliver(.text("1"))
        #expect(await read(connection).texts == ["1"])
    }

    @Test func messagesOfACancelledReaderComeBeforeTheEnd() async throws {
        let connection = try connection()
        _ = connection.deliver(.text("last"))
        connection.end(.success(()))
        _ = await read(connection, isCancelled: true)
        #expect(await read(connection).texts == ["last"])
        #expect(await read(connection).texts == [])
    }
}
