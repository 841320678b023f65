// What is known of earlier versions of rows, which callers may still hold elements of.
extension CollectionState {
    /// The newest version of a row that is known; nil where it is not here.
    func newest(_ id: RowID) -> Row? {
        for id in id.spellings {
            if let row = row(id) { return index.former.laterVersion(of: row) ?? row }
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
        // It is another one where what is known elsewhere is newer.
        for id in id.spellings {
            if let here = held.contains(id) ? self.row(id) : index.givenRow(id) { past.noteVersion(here) }
        }
        return past
    }

    /// What callers may hold elements of.
    ///
    /// - Complexity: O(rows that they have read).
    var given: GivenVersions {
        var given = held.given
        given.formUnion(GivenVersions(rows: index.givenRows, former: index.former))
        return given
    }

    /// Notes that callers may hold elements of versions that are no longer here.
    mutating func noteGiven(_ former: FormerVersions) { index.former.formUnion(former) }

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
