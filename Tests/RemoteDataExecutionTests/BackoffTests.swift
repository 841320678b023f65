import RemoteDataExecution
import Testing

@Suite struct BackoffTests {
    @Test func theLimitDoublesUpToTheCap() {
        let backoff = Backoff(base: .milliseconds(200), cap: .seconds(30))
        #expect(
            (1...5).map { backoff.limit(afterFailures: $0) }
                == [200, 400, 800, 1_600, 3_200].map { .milliseconds($0) }
        )
        #expect(backoff.limit(afterFailures: 9) == .seconds(30))
        #expect(backoff.limit(afterFailures: .max) == .seconds(30))
        #expect(backoff.limit(afterFailures: 0) == .milliseconds(200))
    }

    @Test(arguments: 1...20) func theJitterIsFull(failures: Int) {
        let backoff = Backoff()
        #expect(backoff.delay(afterFailures: failures, chance: 0) == .zero)
        #expect(backoff.delay(afterFailures: failures, chance: 1) == backoff.limit(afterFailures: failures))
        let half = backoff.delay(afterFailures: failures, chance: 0.5)
        #expect(half == backoff.limit(afterFailures: failures) / 2)
    }

    @Test func theDelayIsAtLeastWhatTheServerAsksFor() {
        #expect(Backoff().delay(afterFailures: 1, atLeast: .seconds(7), chance: 0.5) == .seconds(7))
        #expect(
            Backoff().delay(afterFailures: 4, atLeast: .milliseconds(1), chance: 1) == .milliseconds(1_600)
        )
    }
}
