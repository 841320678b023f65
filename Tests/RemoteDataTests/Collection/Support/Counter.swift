import Synchronization

/// A number that many threads count up.
final class Counter: Sendable {
    private let number = Atomic<Int>(0)

    var value: Int { number.load(ordering: .sequentiallyConsistent) }

    func add(_ count: Int = 1) { number.add(count, ordering: .sequentiallyConsistent) }
}
