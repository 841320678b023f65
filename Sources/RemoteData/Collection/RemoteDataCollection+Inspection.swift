import Synchronization

/// What a collection is made of at one moment, for checks of it.
package struct CollectionInspection: Sendable {
    /// The row at each position; nil where it is not here.
    package var rows: [Row?]
    /// The rows that are held at a position of the caller's choice.
    package var held: Set<RowID>
    /// The revision the rows are at, where changes are followed.
    package var applied: Revision?
    /// Whether nothing is under way: no request, no change to be applied, no repair.
    package var isAtRest: Bool
    /// How much each buffer holds.
    package var buffers: [(name: String, count: Int)]
}

extension RemoteDataCollection {
    /// Looks at everything at once.
    ///
    /// Never blocks, never asks the table. O(rows of the table).
    package func inspect() -> CollectionInspection {
        state.withLock { state in
            var rows: [Row?] = []
            for part in state.core.parts(isRead: false) {
                switch part {
                case .unloaded(let count): rows += Array(repeating: nil, count: count)
                case .rows(let part): rows += part.rows[part.range].map(\.self)
                }
            }
            return CollectionInspection(
                rows: rows,
                held: Set(state.core.held.rows.map(\.row.id)),
                applied: state.core.applied,
                isAtRest: state.isAtRest && !isPlacing,
                buffers: state.buffers
            )
        }
    }

    /// The revision the rows are at, where changes are followed.
    package var appliedRevision: Revision? { state.withLock { $0.core.applied } }

    /// The last revision at which the rows were right; older than ``appliedRevision`` while they are compared.
    package var rightRevision: Revision? {
        state.withLock { state in state.core.repair.map(\.since) ?? state.core.applied }
    }

    /// Whether nothing is under way; O(1).
    package var isAtRest: Bool { !isPlacing && state.withLock { $0.isAtRest } }

    /// Whether the status is live although changes are known to have been missed, which must never be;
    /// O(changes that wait).
    package var isLiveInSpiteOfAGap: Bool {
        state.withLock { state in
            let core = state.core
            return state.status.isLive && (core.needsResync || core.repair != nil || core.awaitsGap)
        }
    }

    /// Whether the number of rows is in doubt, which is looked into while changes come; O(1).
    package var isCountDoubtful: Bool { state.withLock { $0.core.isCountDoubtful } }

    /// Whether changes are on the way to their places.
    private var isPlacing: Bool { placing.map { $0.batchesUnderWay.load(ordering: .relaxed) > 0 } ?? false }
}

extension RemoteDataCollection.State {
    fileprivate var isAtRest: Bool {
        core.pendingCount == 0 && core.fetches.isEmpty && fetchTasks.isEmpty && core.waiting.isEmpty
            && steps.isEmpty && notices.isEmpty && overrun == .none && readySteps.isEmpty && hints.isEmpty
            && changeWaiters.isEmpty
            && !isResyncing && !isRecounting && !core.needsResync && core.repair == nil
    }

    fileprivate var buffers: [(name: String, count: Int)] {
        [
            ("changes to be applied", core.pending.count), ("changes kept for pages", core.log.count),
            ("pages that wait", core.waiting.count),
            ("readers that wait for a repair", repairWaiters.count),
            ("repairs that wait", drainWaiters.count), ("fetches", core.fetches.count),
            ("tasks of fetches", fetchTasks.count), ("waiters for fetches", fetchWaiters.count),
            ("waiters for revisions", revisionWaiters.count),
            ("iterations that wait for changes", changeWaiters.count), ("steps", steps.count),
            ("notices", notices.count), ("what others say", hints.count),
            ("what others said while pages were under way", saidMeanwhile.count),
            ("iterations", core.cursors.count),
        ]
    }
}
