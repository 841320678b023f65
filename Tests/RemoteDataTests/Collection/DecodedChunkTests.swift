import Synchronization
import Testing

@testable import RemoteData

@Suite struct DecodedChunkTests {
    /// Whoever lets a chunk go may hold a lock that the end of an element takes.
    @Test func elementsThatWereTakenDoNotEndWithTheChunk() {
        let hasEnded = Flag()
        let chunk = DecodedChunk(elements: [Element { hasEnded.raise() }], failures: [:])
        let rest = chunk.takeElements()
        #expect(!hasEnded.isRaised)
        rest.letGo()
        #expect(hasEnded.isRaised, "the chunk does not hold them any more")
        withExtendedLifetime((chunk, rest)) {}
    }
}

private final class Flag: Sendable {
    private let state = Atomic(false)

    var isRaised: Bool { state.load(ordering: .sequentiallyConsistent) }

    func raise() { state.store(true, ordering: .sequentiallyConsistent) }
}

private final class Element: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}
