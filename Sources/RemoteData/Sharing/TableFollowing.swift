import RemoteDataExecution
import Synchronization

/// Tells a ``ModelSpace`` what changes in a table, until this is let go of.
public final class TableFollowing: Sendable {
    private let task: Task<Void, Never>

    init(_ task: Task<Void, Never>) { self.task = task }

    deinit { task.cancel() }

    /// Ends it now.
    public func cancel() { task.cancel() }
}

extension ModelSpace {
    /// Tells everybody who holds models of a table's rows what changes in the table, whoever changes it, as long as what is returned is held.
    ///
    /// For tables that no collection of this space is open over: a server's, a file's, a `SyncedTable`. Follows the table's changes, and tries
    /// again where the connection breaks; what was missed meanwhile is read again for the models that somebody holds. Errors are told to the
    /// manager's delegate.
    ///
    /// - Parameters:
    ///   - table: The table, which tells its changes (``Capabilities/liveChanges``).
    ///   - type: What its rows are. The text of a model's id is that of the row's id.
    /// - Returns: Ends it when let go of.
    public func follow<Model: ConsistentModel & Codable & Identifiable>(
        _ table: any Table,
        as type: Model.Type
    ) -> TableFollowing {
        let surroundings = Surroundings(retrySignal: table.makeRetrySignal(clock: TimerClock()))
        let codec = ElementCodec<Model>(idColumn: table.idColumn, dates: table.dates)
        let share = TableShare(
            self,
            table,
            isWhole: true,
            codec: codec,
            deadline: CollectionOptions().deadline,
            surroundings: surroundings
        )
        let follower = ChangeFollower(
            table: table,
            query: Query(nil),
            clock: TimerClock(),
            surroundings: surroundings
        )
        let reached = Reached()
        return TableFollowing(
            Task(executorPreference: surroundings.executor) { [consistency] in
                await follower.run(
                    since: { reached.revision.withLock { $0 } },
                    deliver: { events in
                        for event in events {
                            reached.note(event)
                            if case .interrupted(let error) = event {
                                consistency.enqueue { _ in .fail(error) }
                            }
                        }
                        share.publish(events)
                        return true
                    }
                )
            }
        )
    }
}

/// Up to which revision the changes of a table have come.
private final class Reached: Sendable {
    let revision = Mutex<Revision?>(nil)

    func note(_ event: ChangeEvent) {
        revision.withLock { revision in
            switch event {
            case .change(let change): revision = change.revision ?? revision
            case .progress(let last): revision = last
            case .live(let start): revision = revision ?? start
            case .reset: revision = nil
            case .interrupted: break
            }
        }
    }
}
