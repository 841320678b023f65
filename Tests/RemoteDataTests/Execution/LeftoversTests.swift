import RemoteDataExecution
import Synchronization
import Testing

@testable import RemoteData

@Suite(.timeLimit(.minutes(1))) struct LeftoversTests {
    /// Does something at its end.
    private final class Item: Sendable {
        private let end: @Sendable () -> Void

        init(_ end: @escaping @Sendable () -> Void) { self.end = end }

        deinit { end() }
    }

    /// An item that nobody holds but what is let go of.
    private func rest(_ end: @escaping @Sendable () -> Void) -> Rest<Item> { Rest([Item(end)]) }

    /// As it is held while it is handed over.
    @Test func whatIsLetGoOfEndsThoughItIsStillHeld() async throws {
        let leftovers = Leftovers()
        let end = OneShot<Void>()
        let held = rest { end.resume(.success(())) }
        leftovers.add(held)
        try await end.value()
        withExtendedLifetime(held) {}
    }

    /// Is over when it has been counted down to zero.
    private final class Countdown: Sendable {
        let isOver = OneShot<Void>()
        private let rest: Mutex<Int>

        init(_ count: Int) { rest = Mutex(count) }

        func count() {
            let isLast = rest.withLock { rest in
                rest -= 1
                return rest == 0
            }
            if isLast { isOver.resume(.success(())) }
        }

        var left: Int { rest.withLock(\.self) }
    }

    @Test func everythingEndsAndNotWhereItIsLetGo() async throws {
        let leftovers = Leftovers()
        let countdown = Countdown(100)
        let lock = Mutex(())
        // What ends wants the lock under which it was let go of.
        lock.withLock { _ in
            for _ in 0..<100 {
                leftovers.add(
                    rest {
                        lock.withLock { _ in }
                        countdown.count()
                    }
                )
            }
        }
        try await countdown.isOver.value()
        #expect(countdown.left == 0)
    }

    /// The end of one waits for the ends of many that come behind it.
    @Test func oneThatWaitsHoldsUpNoneForEver() async throws {
        let leftovers = Leftovers()
        let (begun, done) = (OneShot<Void>(), OneShot<Void>())
        let countdown = Countdown(1_001)
        leftovers.add(
            rest {
                begun.resume(.success(()))
                _ = countdown.isOver.wait(atMost: .seconds(30))
                done.resume(.success(()))
            }
        )
        try await begun.value()
        for _ in 0..<1_001 { leftovers.add(rest { countdown.count() }) }
        try await done.value()
        #expect(countdown.left == 0)
    }
}
