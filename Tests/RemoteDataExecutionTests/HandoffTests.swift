import RemoteDataExecution
import Testing

@Suite(.timeLimit(.minutes(1))) struct HandoffTests {
    private struct Trouble: Error, Equatable {}
    private typealias Shot = Handoff<Int, Trouble>

    @Test func whoWaitsIsToldAndTheOneWhoToldKnows() async {
        let shot = Shot()
        let answer = await withCheckedContinuation { continuation in
            let waits = shot.start(continuation)
            #expect(waits)
            #expect(!shot.isFinished)
            let isFirst = shot.finish(.success(1))
            #expect(isFirst)
        }
        #expect(answer == .success(1))
        #expect(shot.isFinished)
    }

    @Test func aResultThatIsThereAlreadyIsNotWaitedFor() async {
        let shot = Shot()
        let wakes = shot.finish(.failure(Trouble()))
        #expect(!wakes)
        let answer = await withCheckedContinuation { continuation in
            let waits = shot.start(continuation)
            #expect(!waits)
        }
        #expect(answer == .failure(Trouble()))
    }

    @Test func onlyTheFirstResultCounts() async {
        let shot = Shot()
        let answer = await withCheckedContinuation { continuation in
            _ = shot.start(continuation)
            shot.finish(.success(1))
            let isFirst = shot.finish(.success(2))
            #expect(!isFirst)
        }
        #expect(answer == .success(1))
    }
}
