import RemoteData
import Synchronization

/// Who is told of a table's changes as lists of rows.
final class TableWatchers: Sendable {
    private struct State {
        var buffers: [Int: ChangeBuffer<TableChanges>] = [:]
        var last = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Whether there is anybody.
    var isEmpty: Bool { state.withLock { $0.buffers.isEmpty } }

    /// One more, who is told of everything from now on.
    func changes(of table: String) -> ChangeStream<TableChanges> {
        let buffer = ChangeBuffer<TableChanges>(WaitingTableChanges(table: table))
        let id = state.withLock { state in
            state.last += 1
            if !state.isFinished { state.buffers[state.last] = buffer }
            return state.isFinished ? nil : state.last
        }
        guard let id else {
            buffer.finish()
            return ChangeStream(buffer) {}
        }
        return ChangeStream(buffer) { [weak self] in
            self?.state.withLock { $0.buffers[id] = nil }
        }
    }

    /// Tells everybody; to be called where writes are serialized.
    func tell(_ changes: TableChanges) {
        guard !changes.isEmpty else { return }
        for buffer in state.withLock({ Array($0.buffers.values) }) { buffer.send(changes) }
    }

    /// Ends every stream.
    func finish() {
        let buffers = state.withLock { state in
            state.isFinished = true
            defer { state.buffers = [:] }
            return Array(state.buffers.values)
        }
        for buffer in buffers { buffer.finish() }
    }
}

extension StoreTransaction {
    /// Rows of which something that belongs to them was changed.
    struct Touched: Sendable {
        var places: [RowPlace: TableChanges.Origin] = [:]
    }

    /// Notes the rows that others belong to which have changed, where anybody wants to know.
    mutating func touchParents(of changes: [RowChange], in table: String) {
        guard !isCascading, let parent = rules[table].parent, isWatched(parent.table) else { return }
        let origin: TableChanges.Origin = isOfServer ? .server : .here
        for change in changes {
            for row in change.effect.rows {
                guard let place = rules.parent(of: row, in: table) else { continue }
                touched.places[place, default: []].formUnion(origin)
            }
        }
    }

    /// What is to be told of a transaction that is at its end, as lists of rows.
    func tableChanges() throws(RemoteDataError) -> [TableChanges] {
        var summaries: [Telling: ChangeSummary] = [:]
        var order: [Telling] = []
        func change(_ telling: Telling, _ body: (inout ChangeSummary) -> Void) {
            if summaries[telling] == nil { order.append(telling) }
            body(&summaries[telling, default: ChangeSummary()])
        }
        for item in news where !item.isCascading {
            guard case .table(let table) = item.audience, isWatched(table) else { continue }
            change(Telling(table: table, isOfServer: item.isOfServer)) { summary in
                for change in item.changes { summary.take(change) }
            }
        }
        for (place, id) in outboxNews.renamed where isWatched(place.table) {
            change(Telling(table: place.table, isOfServer: true)) { $0.rename(place.id, to: id) }
        }
        for (place, origin) in touched.places {
            guard let row = try known(place.id, in: place.table)?.row else { continue }
            for isOfServer in [false, true] where origin.contains(isOfServer ? .server : .here) {
                change(Telling(table: place.table, isOfServer: isOfServer)) { $0.modify(row) }
            }
        }
        return order.map { telling in
            let summary = summaries[telling] ?? ChangeSummary()
            return summary.changes(of: telling.table, by: telling.isOfServer ? .server : .here)
        }
    }
}

/// A table and who has changed it.
private struct Telling: Hashable {
    let table: String
    let isOfServer: Bool
}

extension RowChange.Effect {
    /// The versions of the row it is about.
    fileprivate var rows: [Row] {
        switch self {
        case .created(let row), .deleted(let row), .left(let row): [row]
        case .updated(let before, let after): [before, after]
        case .bulkDeleted: []
        }
    }
}
