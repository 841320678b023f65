import Synchronization

/// Somebody who holds a list of models, each of which is a tree of its own: one listener, however long the list is.
final class ListListening: Sendable {
    /// A model in the list: its key, and how often it has been replaced by whoever holds the list.
    struct Place: Sendable, Equatable {
        let key: Int
        let version: Int32
    }

    /// What has become of a model in the list; nil when it was deleted.
    struct News: Sendable {
        let place: Place
        let model: (any ConsistentModel)?
    }

    /// Called where the manager delivers, once for all that changes at once, with when that was initiated.
    let tell: @Sendable ([News], ConsistencyContext, UInt64) -> Void
    private let state = Mutex(false)

    init(_ tell: @escaping @Sendable ([News], ConsistencyContext, UInt64) -> Void) { self.tell = tell }

    var hasEnded: Bool { state.withLock { $0 } }

    func end() { state.withLock { $0 = true } }
}

/// A place of a list that holds a tree.
struct ListPlace: Sendable {
    let list: ListListening
    let place: ListListening.Place
}
