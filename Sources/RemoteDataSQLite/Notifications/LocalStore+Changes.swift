public import Foundation
public import RemoteData
import RemoteDataExecution
import Synchronization

// Being told what has changed in a table.
extension LocalStore {
    /// What changes in a table from now on, for one `for await` loop; each call makes a stream of its own, which ends with the store.
    ///
    /// Never blocks, asks no server. For a reader that is slower than the changes come, they are put together.
    ///
    /// - Parameter table: The table, which need not be there yet.
    /// - Returns: The stream.
    /// - Throws: `RemoteDataError` with code `tooLarge` when there are too many tables.
    public func changes(of table: String) throws(RemoteDataError) -> ChangeStream<TableChanges> {
        try core.tables.make(table).watchers.changes(of: table)
    }

    /// Calls a handler for what changes in a table, one call at a time, until the observation is cancelled or released.
    ///
    /// - Parameters:
    ///   - table: The table, which need not be there yet.
    ///   - queue: Where it is called.
    ///   - handler: What is called. While it runs, what comes next is put together.
    /// - Returns: What keeps the handler.
    /// - Throws: `RemoteDataError` with code `tooLarge` when there are too many tables.
    public func observe(
        _ table: String,
        on queue: DeliveryQueue = .privateQueue,
        _ handler: @escaping @Sendable (TableChanges) -> Void
    ) throws(RemoteDataError) -> ChangeObservation {
        let changes = try changes(of: table)
        let ending = ChangeObservation.Ending()
        let task = surroundings.start {
            for await change in changes {
                await withCheckedContinuation { continuation in
                    queue.run {
                        if !ending.hasCome { handler(change) }
                        continuation.resume()
                    }
                }
            }
        }
        return ChangeObservation(task, ending)
    }

    /// Posts a notification of the name ``didChange`` for what changes in a table, with the store as its object, until the
    /// observation is cancelled or released.
    ///
    /// Its `userInfo` has ``tableKey`` (`String`), ``addedKey``, ``removedKey`` and ``modifiedKey`` (`[Row]`),
    /// ``renamedKey`` (`[RowID: RowID]`), ``originKey`` (``TableChanges/Origin``) and ``isIncompleteKey`` (`Bool`), as ``TableChanges`` has.
    ///
    /// - Parameters:
    ///   - table: The table, which need not be there yet.
    ///   - center: Where it is posted.
    ///   - queue: The thread of the observers.
    /// - Returns: What keeps it going.
    /// - Throws: `RemoteDataError` with code `tooLarge` when there are too many tables.
    public func postChanges(
        of table: String,
        to center: NotificationCenter = .default,
        on queue: DeliveryQueue = .privateQueue
    ) throws(RemoteDataError) -> ChangeObservation {
        try observe(table, on: queue) { [weak self] changes in
            let info: [AnyHashable: Any] = [
                Self.tableKey: changes.table, Self.addedKey: changes.added,
                Self.removedKey: changes.removed, Self.modifiedKey: changes.modified,
                Self.renamedKey: changes.renamed, Self.originKey: changes.origin,
                Self.isIncompleteKey: changes.isIncomplete,
            ]
            center.post(name: Self.didChange, object: self, userInfo: info)
        }
    }

    /// The name of the notifications of ``postChanges(of:to:on:)``: `RemoteDataStoreDidChange`.
    public static let didChange = Notification.Name("RemoteDataStoreDidChange")
    /// The table, a `String`.
    public static let tableKey = "table"
    /// The rows that were not here before, `[Row]`.
    public static let addedKey = "added"
    /// The rows that are gone, `[Row]`.
    public static let removedKey = "removed"
    /// The rows that are not as they were, `[Row]`.
    public static let modifiedKey = "modified"
    /// The ids that rows had before, with those they have now, `[RowID: RowID]`.
    public static let renamedKey = "renamed"
    /// Who has changed something, ``TableChanges/Origin``.
    public static let originKey = "origin"
    /// Whether more has changed than is told, a `Bool`.
    public static let isIncompleteKey = "isIncomplete"
}

/// Keeps a handler that is told what changes in a table, until it is released.
public final class ChangeObservation: Sendable {
    /// Whether it was ended, for calls that wait already.
    final class Ending: Sendable {
        private let state = Mutex(false)

        var hasCome: Bool { state.withLock { $0 } }

        fileprivate func come() { state.withLock { $0 = true } }
    }

    private let task: Task<Void, Never>
    private let ending: Ending

    init(_ task: Task<Void, Never>, _ ending: Ending) { (self.task, self.ending) = (task, ending) }

    deinit { cancel() }

    /// Ends it: no call begins after this; one that has begun goes on.
    public func cancel() {
        ending.come()
        task.cancel()
    }
}
