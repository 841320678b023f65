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

    @Test func everythingEndsAndNotWhereItIsLetGo() async throws {
        let leftovers = Leftovers()
        let count = Mutex(0)
        let lock = Mutex(())
        let done = OneShot<Void>()
        // What ends wants the lock under which it was let go of.
        lock.withLock { _ in
            for _ in 0..<100 {
                leftovers.add(
                    Item {
                        lock.withLock { _ in }
                        let last = count.withLock { value in
                            value += 1
                            return value == 100
                        }
                        if last { done.resume(.success(())) }
                    }
                )
            }
        }
        try await done.value()
        #expect(count.withLock(\.self) == 100)
    }

    /// The end of one waits for the ends of many that come behind it.
    @Test func oneThatWaitsHoldsUpNoneForEver() async throws {
        let leftovers = Leftovers()
        let (begun, gate, done) = (OneShot<Void>(), OneShot<Void>(), OneShot<Void>())
        leftovers.add(
            Item {
                begun.resume(.success(()))
                _ = gate.wait(atMost: .seconds(30))
                done.resume(.success(()))
            }
        )
        try await begun.value()
        let count = Mutex(0)
        for _ in 0..<1_001 {
            leftovers.add(
                Item {
                    let last = count.withLock { value in
                        value += 1
                        return value == 1_001
                    }
                    if last { gate.resume(.success(())) }
                }
            )
        }
        try await done.value()
        #expect(count.withLock(\.self) == 1_001)
    }
}
