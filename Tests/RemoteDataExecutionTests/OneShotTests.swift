import RemoteDataExecution
import Testing

@Suite(.timeLimit(.minutes(1))) struct OneShotTests {
    private struct Trouble: Error {}

    @Test func aValueThatIsThereIsTakenAtOnce() async throws {
        let shot = OneShot<Int>()
        shot.resume(.success(1))
        #expect(try await shot.value() == 1)
    }

    @Test func aValueThatComesLaterWakesTheWaiter() async throws {
        let shot = OneShot<Int>()
        async let value = shot.value()
        await Task.yield()
        shot.resume(.success(2))
        #expect(try await value == 2)
    }

    @Test func onlyTheFirstArrivalCounts() async throws {
        let shot = OneShot<Int>()
        shot.resume(.success(1))
        shot.resume(.failure(Trouble()))
        #expect(try await shot.value() == 1)
        shot.resume(.success(3))
    }

    @Test func aFailureIsThrown() async {
        let shot = OneShot<Int>()
        shot.resume(.failure(Trouble()))
        await #expect(throws: Trouble.self) { try await shot.value() }
    }

    @Test func manyArrivalsAtOnceWakeOnce() async throws {
        for _ in 0..<100 {
            let shot = OneShot<Int>()
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { _ = try await shot.value() }
                for number in 0..<4 { group.addTask { shot.resume(.success(number)) } }
                try await group.waitForAll()
            }
        }
    }
}
