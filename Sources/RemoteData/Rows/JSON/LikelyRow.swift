/// What the next row of a page, or the row of the next change, is likely to be: one with the members of the one before it.
package struct LikelyRow: Sendable {
    let idColumn: String
    private var shape = JSONShape()
    private var places: [JSONShape.Place] = []
    private var number: Int?
    /// Grows with each row that is as expected, and pays for learning one that is not: there is no use in that where each has other
    /// members.
    private var credit = 64

    /// Nothing is known of the first row but the column of its id.
    package init(idColumn: String) { self.idColumn = idColumn }

    /// Moves behind rows that are as expected, and adds them to others.
    ///
    /// - Returns: Whether there was one; otherwise nothing is moved.
    mutating func takeRows(_ json: [UInt8], _ position: inout Int, into rows: inout [Row]) -> Bool {
        let count = rows.count
        find(json, &position, into: &rows)
        if rows.count == count, learn(json.span, position) { find(json, &position, into: &rows) }
        credit = min(credit + rows.count - count, 64)
        return rows.count > count
    }

    /// Moves behind one row that is as expected.
    ///
    /// - Returns: Its id; nil where it is not as expected, or none: then nothing is moved.
    mutating func takeRow(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> FoundID? {
        guard position < bytes.count, bytes[position] == UInt8(ascii: "{") else { return nil }
        var id = findRow(bytes, &position)
        // What is not learned pays a little, too: there may be other rows later.
        if id == nil, credit >= 4 {
            if learn(bytes, position) { id = findRow(bytes, &position) }
            if id == nil { return nil }
        }
        credit = min(credit + 1, 64)
        return id
    }

    private mutating func find(_ json: [UInt8], _ position: inout Int, into rows: inout [Row]) {
        if let number { shape.findRows(json, &position, id: number, &places, into: &rows) }
    }

    private mutating func findRow(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> FoundID? {
        guard let number, let end = shape.find(bytes, from: position, &places), places[number].isThere,
            let id = FoundID(bytes, places[number].range, hasEscapes: places[number].hasEscapes)
        else { return nil }
        position = end
        return id
    }

    private mutating func learn(_ bytes: borrowing Span<UInt8>, _ position: Int) -> Bool {
        guard credit >= 4 else { return false }
        credit -= 4
        number = nil
        guard (try? shape.learn(bytes, from: position, &places)) != nil else { return false }
        number = shape.number(of: idColumn)
        return true
    }
}
