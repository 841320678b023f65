// What is known of earlier versions of rows, which callers may still hold elements of.
extension CollectionState {
    /// A row as it is known now, and what is known of its earlier versions; nil where it is not here.
    func known(_ id: RowID) -> (row: Row, past: RowPast)? {
        for id in id.spellings {
            guard let row = row(id) else { continue }
            let newest = index.former.laterVersion(of: row) ?? row
            return (newest, past(of: newest, askedForAs: id))
        }
        return nil
    }

    /// What is known of earlier versions of a row.
    ///
    /// - Parameters:
    ///   - row: The row as it is known now.
    ///   - id: The id that the caller has, which may be a former one, or spelled otherwise.
    /// - Returns: What is known.
    func past(of row: Row, askedForAs id: RowID) -> RowPast {
        let marks = id.spellings.map(\.mark) + [row.idMark]
        var past = index.former.past(of: row, under: marks)
        past.formUnion(held.past(of: row, under: marks))
        past.written = written.ofRow(under: marks)
        return past
    }

    /// Notes that a caller gets an element of a version of a row.
    mutating func noteRead(_ version: Row) { index.noteRead(version) }

    /// Notes that an own write has been made: until then, what it writes can only be what others wrote.
    mutating func noteMade(_ key: String?) { if let update = own.takeUpdate(key) { written.note(update) } }

    /// Notes what a caller may hold after an own update: the row as stored, and the element that was written.
    ///
    /// - Parameters:
    ///   - patch: What was written.
    ///   - row: The row as it was known before.
    ///   - stored: The row as the table stored it.
    mutating func noteWritten(_ patch: ArraySlice<UInt8>, to row: Row, storedAs stored: Row) {
        noteRead(stored)
        guard let json = try? JSONObject.merging(patch, into: row.json) else { return }
        let written = Row(id: stored.id, json: json)
        if ColumnDigests(written) != ColumnDigests(stored) { index.former.keep(written) }
    }

    /// Notes that listeners get an element of a row, which may not be here.
    mutating func noteTold(_ applied: Applied?) {
        guard index.keepsAllVersions, let row = applied?.row else { return }
        if index.spot(ofOneLike: row) == nil { index.former.keep(row) }
    }

    /// Notes whether the changes that follow are own ones.
    mutating func noteOwn(_ isOwn: Bool) {
        index.former.isOwn = isOwn
        if !held.isEmpty { held.noteOwn(isOwn) }
    }
}
