@testable import RemoteData

extension CollectionState {
    /// What is wrong with what the state says is known, compared with the table at the revision that it says; nil when
    /// nothing is.
    func coverageFault(_ table: ReferenceTable) -> String? {
        let coverage = coverage(idColumn: "objectId", isTold: true)
        if coverage.revision == nil, hasMore != .unknown { return "more is \(hasMore) as of no revision" }
        guard let revision = coverage.revision else { return nil }
        let rows = table.snapshots[Int(revision.rawValue)]
        if let fault = moreFault(rows) { return "\(fault) as of \(revision)" }
        let keys = rows.map { Key($0, sort: query.sort) }
        for interval in coverage.intervals {
            let covered = zip(rows, keys).filter { row, key in
                interval.contains(key, query.sort) && coverage.contains(key) && !held.contains(row.id)
            }
            let loaded = interval.positions.compactMap { row(at: $0) }.filter { !held.contains($0.id) }
            if covered.map(\.0.json) != loaded.map(\.json) {
                return
                    "\(interval) holds \(loaded.map(\.number)), not \(covered.map(\.0.number)) as of \(revision)"
            }
        }
        let unloaded = coverage.gaps.flatMap(\.self).count { row(at: $0) == nil }
        if rows.count != loadedCount + unloaded { return "\(rows.count) rows as of \(revision)" }
        return held.isEmpty ? clauseFault(coverage, rows) : nil
    }

    private func moreFault(_ rows: [Row]) -> String? {
        let isMore = loadedCount < rows.count
        if hasMore != .unknown, hasMore != Truth(isMore) { return "more is \(hasMore)" }
        for position in -1..<(count + 2) {
            let said = hasMore(behind: position)
            if said != .unknown, said != Truth(position + 1 < rows.count) {
                return "more behind \(position) is \(said)"
            }
        }
        return nil
    }

    /// What is wrong with the clauses that are said to lie in what is here.
    private func clauseFault(_ coverage: Coverage, _ rows: [Row]) -> String? {
        let clause = clauses[(Int(coverage.revision?.rawValue ?? 0) + loadedCount) % clauses.count]
        guard coverage.contains(clause) else { return nil }
        var loaded: [Row] = []
        index.forEachLoaded { _, row in if clause.matches(row) { loaded.append(row) } }
        let matching = rows.filter { clause.matches($0) }
        if matching.map(\.json) != loaded.map(\.json) {
            return "\(clause) is \(loaded.map(\.number)), not \(matching.map(\.number))"
        }
        return nil
    }
}

private let clauses = [1, 2, 4, 20].flatMap { number in
    ["v < \(number)", "v >= \(number)", "objectId <= \(number)", "objectId > \(number)"]
}
.compactMap { try? Where($0) }

extension Coverage.Interval {
    fileprivate func contains(_ key: Key, _ sort: [SortTerm]) -> Bool {
        (reachesStart || Key.order(key, first, sort: sort) != .ascending)
            && (reachesEnd || Key.order(key, last, sort: sort) != .descending)
    }
}
