import RemoteDataExecution
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct RetrySignalTests {
    private let clock = ManualClock()
    private let signal: RetrySignal

    init() { signal = RetrySignal(clock: clock) }

    /// Begins to wait, five seconds unless the server asks for more.
    private func wait(
        atLeast wish: Duration? = nil,
        since wakes: Int? = nil,
        heedsAnswers: Bool = true,
        needsNetwork: Bool = false
    ) -> Task<Void, any Error> {
        Task { [signal, clock] in
            try await signal.sleep(
                for: max(.seconds(5), wish ?? .zero),
                atLeast: wish,
                since: wakes,
                heedsAnswers: heedsAnswers,
                needsNetwork: needsNetwork,
                clock: clock
            )
        }
    }

    @Test("A wait ends by itself when its time is over")
    func waitsEndByThemselves() async throws {
        let wait = wait()
        await clock.waitForSleepers()
        #expect(clock.sleepers == [.seconds(5)] && signal.waiterCount == 1)
        clock.advance(by: .seconds(5))
        try await wait.value
        #expect(signal.waiterCount == 0)
    }

    @Test("A request to go on ends all waits")
    func wakingEndsAllWaits() async throws {
        let waits = (0..<3).map { _ in wait() }
        await clock.waitForSleepers(3)
        signal.wake()
        for wait in waits { try await wait.value }
        #expect(signal.wakes == 1)
    }

    @Test("A request that came during the failed attempt ends the wait as it begins")
    func earlierWakesCount() async throws {
        let wakes = signal.wakes
        signal.wake()
        try await wait(since: wakes).value
        let wait = wait(since: signal.wakes)
        await clock.waitForSleepers()
        #expect(signal.waiterCount == 1)
        wait.cancel()
    }

    @Test("Answers end waits once a second at most")
    func answersEndWaitsOnceASecond() async throws {
        signal.answered()
        let first = wait()
        await clock.waitForSleepers()
        signal.answered()
        try await first.value
        let second = wait()
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(999))
        signal.answered()
        #expect(signal.waiterCount == 1)
        clock.advance(by: .milliseconds(1))
        signal.answered()
        #expect(signal.waiterCount == 0)
        try await second.value
    }

    @Test("A wait that heeds no answers is ended by a request to go on alone")
    func answersAreNotHeeded() async throws {
        let (refused, free) = (wait(heedsAnswers: false), wait())
        await clock.waitForSleepers(2)
        signal.answered()
        try await free.value
        #expect(signal.waiterCount == 1)
        signal.wake()
        try await refused.value
    }

    @Test("A wait that heeds no answers and has no network ends with one once its time is over")
    func heldWaitsHeedAnswers() async throws {
        signal.setNetworkAvailable(false)
        let wait = wait(heedsAnswers: false, needsNetwork: true)
        await clock.waitForSleepers()
        signal.answered()
        #expect(signal.waiterCount == 1)
        clock.advance(by: .seconds(5))
        while signal.waiterCount > 0 {
            clock.advance(by: .seconds(1))
            signal.answered()
            await Task.yield()
        }
        try await wait.value
    }

    @Test("Only the statuses of proxies, and none, tell of an outage")
    func outages() {
        #expect([nil, 502, 503, 504].allSatisfy { RetrySignal.isOutage($0) })
        #expect(![400, 401, 403, 404, 408, 429, 500, 501, 505].contains { RetrySignal.isOutage($0) })
    }

    @Test("A wait that the server asked for is kept, and nothing longer")
    func wishesAreKept() async throws {
        let wait = Task { [signal, clock] in
            try await signal.sleep(for: .seconds(5), atLeast: .seconds(3), clock: clock)
        }
        await clock.waitForSleepers()
        signal.wake()
        #expect(clock.sleepers == [.seconds(3)])
        clock.advance(by: .seconds(3))
        try await wait.value
    }

    @Test("Five minutes are kept of a longer wait that the server asked for")
    func longWishesAreCut() async throws {
        let wait = wait(atLeast: .seconds(86_400))
        await clock.waitForSleepers()
        signal.wake()
        #expect(clock.sleepers == [RetrySignal.longestWish])
        clock.advance(by: .seconds(300))
        try await wait.value
    }

    @Test("What is left of a delay follows the part of a wish that is kept")
    func delaysOutlastCutWishes() async throws {
        let wait = Task { [signal, clock] in
            try await signal.sleep(for: .seconds(3_600), atLeast: .seconds(1_200), clock: clock)
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(300))
        await clock.waitForSleepers()
        #expect(clock.sleepers == [.seconds(3_300)])
        signal.wake()
        try await wait.value
    }

    @Test("Without a network, waits that need one go on until it is back or a request is answered")
    func waitsForANetworkGoOn() async throws {
        signal.setNetworkAvailable(false)
        #expect(signal.wakes == 0)
        for isAnswered in [false, true] {
            let (bound, free) = (wait(needsNetwork: true), wait())
            await clock.waitForSleepers(2)
            clock.advance(by: .seconds(5))
            try await free.value
            #expect(signal.waiterCount == 1)
            if isAnswered { signal.answered() } else { signal.setNetworkAvailable(true) }
            try await bound.value
            signal.setNetworkAvailable(false)
        }
        #expect(signal.wakes == 1)
    }

    @Test("Without a network no wait is too short to be held")
    func noWaitIsTooShortToBeHeld() async throws {
        signal.setNetworkAvailable(false)
        let wait = Task { [signal, clock] in
            try await signal.sleep(for: .zero, needsNetwork: true, clock: clock)
        }
        while signal.waiterCount == 0 { await Task.yield() }
        signal.setNetworkAvailable(true)
        try await wait.value
    }

    @Test("A cancelled wait ends with an error", arguments: [nil, Duration.seconds(9)])
    func cancelledWaitsThrow(wish: Duration?) async throws {
        let wait = wait(atLeast: wish)
        await clock.waitForSleepers()
        wait.cancel()
        await #expect(throws: CancellationError.self) { try await wait.value }
        #expect(signal.waiterCount == 0)
    }
}
