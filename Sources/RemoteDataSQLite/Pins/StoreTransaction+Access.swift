import RemoteData

// What somebody with rights may hold under a label.
extension StoreTransaction {
    /// Stores rows that may be read, those that are here already only where they may be written.
    ///
    /// - Returns: The rows that may be held: given by whoever may read them, and hiding none that may not be.
    mutating func keep(
        _ rows: [Row],
        in table: String,
        _ access: RowAccess?
    ) throws(RemoteDataError) -> [Row] {
        var kept: [Row] = []
        for row in rows {
            if let access {
                let known = try self.row(RowPlace(table: table, id: row.id))
                guard access.mayRead(row), known.map(access.mayRead) ?? true else { continue }
                kept.append(row)
                guard known.map(access.mayWrite) ?? true else { continue }
            } else {
                kept.append(row)
            }
            try keep(row, in: table)
        }
        return kept
    }

    /// The ids but those of rows that are here and may not be read.
    func pinnable(
        _ ids: [RowID],
        of table: String,
        _ access: RowAccess?
    ) throws(RemoteDataError) -> [RowID] {
        guard let access else { return ids }
        var pinnable: [RowID] = []
        for id in ids where try row(RowPlace(table: table, id: id)).map(access.mayRead) ?? true {
            pinnable.append(id)
        }
        return pinnable
    }
}
