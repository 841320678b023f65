public import Observation
import Synchronization

/// `withObservationTracking`, and what is built on it: whoever reads the number of rows, or rows, is told when there is something else
/// to be read, once for what changes at once.
///
/// Told on the delivery queue. Who reads there is told of everything; elsewhere, what changes while it is being read is not told.
extension RemoteDataCollection: Observable {
    /// Whoever reads is to be told.
    @usableFromInline func noteReading() { registrar.access(self, keyPath: observed) }

    /// Tells those who have read that there is something else now; on the delivery queue.
    func tellObservers() { registrar.withMutation(of: self, keyPath: observed) {} }
}

extension RemoteDataCollection.State {
    /// Whether those who have read are to be told, who are told of it then.
    mutating func takeSeenOtherwise() -> Bool {
        defer { isSeenOtherwise = false }
        return isSeenOtherwise
    }
}

extension CollectionNotice {
    /// Whether it tells of rows.
    var isOfRows: Bool { if case .changed = self { true } else { false } }
}
