import RemoteData

// Labels follow what becomes of the rows they hold.
extension StoreTransaction {
    /// Has the labels follow changes of a table that are made already.
    ///
    /// First everything is told that happened to rows they hold, then what comes to be held or to be let go by it: a label's
    /// changes have revisions in the order they are told.
    mutating func follow(_ changes: [RowChange], of table: String) throws(RemoteDataError) {
        guard !catalog.labels.isEmpty else { return }
        var concerned: [(change: RowChange, labels: [Label])] = []
        for change in changes {
            guard let id = change.id else { continue }
            let place = RowPlace(table: table, id: id)
            let labels = try labels(of: place)
            for label in labels {
                try announce(change.effect, in: table, label, at: change.revision, key: change.key)
            }
            concerned.append((change, labels))
        }
        for (change, labels) in concerned {
            switch change.effect {
            case .created(let row): try followArrival(of: row, replacing: nil, in: table, labels)
            case .updated(let before, let after):
                try followArrival(of: after, replacing: before, in: table, labels)
            case .deleted(let row): try followRemoval(of: row, in: table, labels)
            // Which rows those were, is asked before they go.
            case .bulkDeleted, .left: break
            }
        }
    }

    /// Has the labels follow rows that were removed together.
    mutating func followRemoval(of rows: [Row], in table: String, key: String?) throws(RemoteDataError) {
        for row in rows {
            let place = RowPlace(table: table, id: row.id)
            let labels = try labels(of: place)
            for label in labels { try announce(.deleted(row), in: table, label, key: key) }
            try followRemoval(of: row, in: table, labels)
        }
    }

    /// The rows that labels hold among those that match; all for nil.
    func heldRows(matching filter: Where?, in table: String) throws(RemoteDataError) -> [Row] {
        guard !catalog.labels.isEmpty, let info = catalog.tables[table] else { return [] }
        let pinned = SQLFragment(
            "id IN (SELECT id FROM pins WHERE tableNumber = ?)",
            [.integer(info.number)]
        )
        return try SQLiteRows(info, name: table, idColumn: idColumn, connection)
            .rows(matching: filter, and: pinned)
    }

    private mutating func followArrival(
        of row: Row,
        replacing before: Row?,
        in table: String,
        _ labels: [Label]
    ) throws(RemoteDataError) {
        let place = RowPlace(table: table, id: row.id)
        if !labels.isEmpty {
            let (old, new) = (namedTargets(of: before, in: table), namedTargets(of: row, in: table))
            for target in new where !old.contains(target) { try lead(place, to: target, labels) }
            for target in old where !new.contains(target) { try leadNoMore(place, to: target, labels) }
        }
        let (old, new) = (namedParents(of: before, in: table), namedParents(of: row, in: table))
        for parent in new where !old.contains(parent) { try lead(parent, to: place, self.labels(of: parent)) }
        for parent in old where !new.contains(parent) {
            try leadNoMore(parent, to: place, self.labels(of: parent))
        }
    }

    /// A row that is gone is no root any more and leads to nothing; what leads to it waits for it to come again.
    private mutating func followRemoval(
        of row: Row,
        in table: String,
        _ labels: [Label]
    ) throws(RemoteDataError) {
        let place = RowPlace(table: table, id: row.id)
        for parent in namedParents(of: row, in: table) {
            try leadNoMore(parent, to: place, self.labels(of: parent))
        }
        guard !labels.isEmpty else { return }
        try connection.run(
            "UPDATE pins SET isRoot = 0 WHERE tableNumber = ? AND id = ?",
            [.integer(try self.table(table).number), Binding(row.id)]
        )
        for target in namedTargets(of: row, in: table) { try leadNoMore(place, to: target, labels) }
        for label in labels { try release([place], label) }
    }

    /// The rows whose ids a row holds.
    private func namedTargets(of row: Row?, in table: String) -> [RowPlace] {
        guard let row else { return [] }
        return relations.from(table)
            .flatMap { relation -> [RowPlace] in
                guard case .names(let column) = relation.way else { return [] }
                return row.ids(in: column, idColumn: idColumn)
                    .map { RowPlace(table: relation.target, id: $0) }
            }
    }

    /// The rows that lead to a row because it holds their ids.
    private func namedParents(of row: Row?, in table: String) -> [RowPlace] {
        guard let row else { return [] }
        return relations.named(by: table)
            .compactMap { relation -> RowPlace? in
                guard case .isNamed(let column) = relation.way else { return nil }
                return RowID(row[column]).map { RowPlace(table: relation.table, id: $0) }
            }
    }

    /// A row that labels hold leads to another one now.
    private mutating func lead(
        _ place: RowPlace,
        to target: RowPlace,
        _ labels: [Label]
    ) throws(RemoteDataError) {
        guard !labels.isEmpty else { return }
        try addLink(place, target)
        for label in labels where try hold(target, label, asRoot: false) { try spread([target], label) }
    }

    /// A row that labels hold leads to another one no longer, at least not in every way it did.
    private mutating func leadNoMore(
        _ place: RowPlace,
        to target: RowPlace,
        _ labels: [Label]
    ) throws(RemoteDataError) {
        guard !labels.isEmpty else { return }
        let (row, other) = (try row(place), try row(target))
        let stillLeads =
            namedTargets(of: row, in: place.table).contains(target)
            || namedParents(of: other, in: target.table).contains(place)
        guard !stillLeads else { return }
        try removeLink(place, target)
        for label in labels { try release([target], label) }
    }
}
