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

    // MARK: Taking at once

    /// What a taker has been given.
    private final class Taken: Sendable {
        let batches = Watched<[[String]]>([])

        /// Takes everything unless told otherwise.
        func taker(_ isTaken: Bool = true, then: @escaping @Sendable () -> Void = {}) -> MessageTaker {
            { messages in
                self.batches.change { $0.append(messages.map(\.text)) }
                then()
                return isTaken
            }
        }
    }

    /// Somebody who waits for what a reader gets.
    private func waiter() async -> Reader {
        let (reader, waits) = (Reader(), Watched(false))
        Task {
            _ = await withCheckedContinuation { continuation in
                _ = reader.start(continuation)
                waits.change { $0 = true }
            }
        }
        await waits.wait { $0 }
        return reader
    }

    /// A reader that waits, or has its answer already.
    private func reader(of connection: LWSConnection) async -> Reader {
        let reader = await waiter()
        _ = connection.read(into: reader)
        return reader
    }

    private func texts(_ reader: Reader) -> [String]? {
        guard reader.isFinished, let answer = reader.wait(atMost: .zero) else { return nil }
        return (try? answer.get())?.map(\.text)
    }

    @Test func fewMessagesAreTakenWhileTheReaderWaits() async throws {
        let (connection, taken) = (try connection(), Taken())
        connection.setTaker(taken.taker())
        let reader = await reader(of: connection)
        for number in 1...3 {
            _ = connection.deliver(.text("\(number)"))
            if number > 1 { #expect(!connection.handOver()) }
        }
        #expect(taken.batches.value == [["1", "2"], ["3"]])
        #expect(!reader.isFinished)
        for number in 4...8 { _ = connection.deliver(.text("\(number)")) }
        #expect(!connection.handOver())
        #expect(texts(reader) == ["4", "5", "6", "7", "8"])
        #expect(taken.batches.value.count == 2)
    }

    @Test func longMessagesAreLeftToTheReader() async throws {
        let (connection, taken) = (try connection(), Taken())
        connection.setTaker(taken.taker())
        let reader = await reader(of: connection)
        let text = String(repeating: "x", count: 5_000)
        _ = connection.deliver(.text(text))
        _ = connection.handOver()
        #expect(texts(reader) == [text])
        #expect(taken.batches.value == [])
    }

    @Test func nothingIsTakenWhileNobodyReads() async throws {
        let (connection, taken) = (try connection(), Taken())
        connection.setTaker(taken.taker())
        _ = connection.deliver(.text("1"))
        #expect(!connection.handOver())
        #expect(await read(connection).texts == ["1"])
        #expect(taken.batches.value == [])
    }

    @Test func nothingIsTakenInThePlaceOfACancelledReader() async throws {
        let (connection, taken) = (try connection(), Taken())
        connection.setTaker(taken.taker())
        let reader = await reader(of: connection)
        reader.finish(.failure(.cancelled))
        _ = connection.deliver(.text("1"))
        #expect(!connection.handOver())
        #expect(taken.batches.value == [])
        #expect(await read(connection).texts == ["1"])
    }

    @Test func whatIsNotTakenIsRead() async throws {
        let (connection, taken) = (try connection(), Taken())
        connection.setTaker(taken.taker(false))
        let reader = await reader(of: connection)
        _ = connection.deliver(.text("1"))
        #expect(!connection.handOver())
        #expect(texts(reader) == ["1"])
    }

    @Test(arguments: [true, false])
    func readingGoesOnOnceWhatPausedItIsTaken(isTaken: Bool) async throws {
        let (connection, taken) = (try connection(bufferedMessages: 1), Taken())
        connection.setTaker(taken.taker(isTaken))
        let reader = await reader(of: connection)
        #expect(connection.deliver(.text("1")))
        #expect(connection.handOver())
        #expect(reader.isFinished == !isTaken)
    }

    @Test func theEndIsReadAfterWhatIsBeingTaken() async throws {
        let (connection, taken) = (try connection(), Taken())
        let reader = await reader(of: connection)
        let wasFinished = Watched(true)
        connection.setTaker(
            taken.taker {
                connection.end(.success(()))
                wasFinished.change { $0 = reader.isFinished }
            }
        )
        _ = connection.deliver(.text("1"))
        _ = connection.handOver()
        #expect(!wasFinished.value)
        #expect(texts(reader) == [])
    }

    @Test(arguments: [true, false])
    func whoeverReadsAnewIsAnsweredAfterWhatIsBeingTaken(isTaken: Bool) async throws {
        let (connection, taken) = (try connection(), Taken())
        let first = await reader(of: connection)
        let second = await waiter()
        let wasFinished = Watched(true)
        connection.setTaker(
            taken.taker(isTaken) {
                first.finish(.failure(.cancelled))
                connection.stopReading(first)
                _ = connection.deliver(.text("2"))
                _ = connection.read(into: second)
                wasFinished.change { $0 = second.isFinished }
            }
        )
        _ = connection.deliver(.text("1"))
        _ = connection.handOver()
        #expect(!wasFinished.value)
        #expect(texts(second) == (isTaken ? ["2"] : ["1", "2"]))
    }

    @Test func whatHasComeIsReadBeforeTheEnd() async throws {
        let connection = try connection()
        let reader = await reader(of: connection)
        _ = connection.deliver(.text("last"))
        connection.end(.success(()))
        #expect(texts(reader) == ["last"])
        #expect(await read(connection).texts == [])
    }
}
