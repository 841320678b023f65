import RemoteData

/// A subscription of a user, and what they know by it.
final class AccessListener {
    let user: AccessUser
    /// The least `n` of the rows wanted; all for nil.
    let least: Int?
    let table: any Table
    private(set) var known: [RowID: Row]
    private let reader: EventReader
    private var reached = Revision(-1)

    init(_ user: AccessUser, _ table: any Table, least: Int?, since: Revision?, known: [RowID: Row])
        async throws
    {
        (self.user, self.table, self.least, self.known) = (user, table, least, known)
        let query = Query(least.map { AccessHistory.filter($0) }, sort: [SortTerm("n")])
        reader = EventReader(try await table.subscribe(to: query, since: since))
    }

    /// Reads what is told up to a revision.
    ///
    /// - Parameters:
    ///   - revision: The last revision wanted.
    ///   - oracle: The rows as they are by then.
    ///   - key: The idempotency key of the last write, if it is this user's.
    ///   - isPast: Whether what is told is older than the rows.
    /// - Returns: What is not as it should be.
    /// - Throws: When nothing is told for long.
    func read(upTo revision: Revision, _ oracle: AccessOracle, key: String?, isPast: Bool = false)
        async throws -> [String]
    {
        var faults: [String] = []
        while reached < revision {
            switch try await reader.next() {
            case .change(let change):
                faults += take(change, oracle, key: key, isPast: isPast)
                reached = change.revision ?? reached
            case .progress(let revision): reached = revision
            case .live(let revision): reached = revision ?? reached
            case .reset: known = try await reread()
            case .interrupted(let error): faults.append("interrupted: \(error)")
            }
        }
        let expected = oracle.visible(to: user, from: least)
        if Set(known.keys) != expected { faults.append("knows \(known.keys) instead of \(expected)") }
        for (id, row) in known where row["tag"] != oracle.rows[id].map({ .text($0.tag) }) ?? .null {
            faults.append("knows an old version of \(id)")
        }
        return faults.map { "\(user) from \(least.map(String.init) ?? "all"): \($0)" }
    }

    private func reread() async throws -> [RowID: Row] {
        let filter = least.map { AccessHistory.filter($0) }
        let page = try await table.page(PageRequest(Query(filter), limit: 1_000))
        return Dictionary(uniqueKeysWithValues: page.rows.map { ($0.id, $0) })
    }

    private func take(_ change: Change, _ oracle: AccessOracle, key: String?, isPast: Bool) -> [String] {
        var faults = AccessHistory.leaks(change.predicate?.description ?? "", knowing: Set(known.keys))
        if let row = change.row {
            if !AccessHistory.isReadable(row, by: user) { faults.append("was shown \(row.id)") }
            if case .integer(let n) = row["n"], n < least ?? .min {
                faults.append("was shown \(row.id) of no interest")
            }
        }
        if let found = change.idempotencyKey, found != key, !isPast {
            faults.append("heard of the key \(found)")
        }
        if key != nil, change.idempotencyKey == nil, !isPast { faults.append("did not hear of the key") }
        switch change.kind {
        case .created, .updated:
            guard let row = change.row else { return faults + ["heard of no row"] }
            if (known[row.id] == nil) != (change.kind == .created) {
                faults.append("\(row.id) was \(change.kind)")
            }
            known[row.id] = row
        case .deleted:
            guard let id = change.id, known.removeValue(forKey: id) != nil else {
                return faults + ["heard that \(change.id.map(\.description) ?? "nothing") went"]
            }
            if !isPast, change.left != oracle.mayRead(user, id) {
                faults.append("\(id) left: \(change.left)")
            }
        case .bulkDeleted:
            let gone = known.values.filter { change.predicate?.matches($0) ?? true }.map(\.id)
            if gone.isEmpty { faults.append("heard of a removal of nothing") }
            if let count = change.count, count != gone.count {
                faults.append("\(count) rows instead of \(gone)")
            }
            for id in gone { known[id] = nil }
        default: faults.append("heard of \(change.kind)")
        }
        return faults
    }
}
