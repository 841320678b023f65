/// What the next row of a page is likely to be: one with the members of the one before it.
struct LikelyRow {
    private let idColumn: String
    private var shape = JSONShape()
    private var places: [JSONShape.Place] = []
    private var number: Int?
    /// Grows with each row that is as expected, and pays for learning one that is not: there is no use in that where each has other
    /// members.
    private var credit = 64

    init(idColumn: String) { self.idColumn = idColumn }

    /// Moves behind rows that are as expected, and adds them to others.
    ///
    /// - Returns: Whether there was one; otherwise nothing is moved.
    mutating func takeRows(_ json: [UInt8], _ position: inout Int, into rows: inout [Row]) -> Bool {
        let count = rows.count
        find(json, &position, into: &rows)
        if rows.count == count, learn(json, position) { find(json, &position, into: &rows) }
        credit = min(credit + rows.count - count, 64)
        return rows.count > count
    }

    private mutating func find(_ json: [UInt8], _ position: inout Int, into rows: inout [Row]) {
        if let number { shape.findRows(json, &position, id: number, &places, into: &rows) }
    }

    private mutating func learn(_ json: [UInt8], _ position: Int) -> Bool {
        guard credit >= 4 else { return false }
        credit -= 4
        number = nil
        guard (try? shape.learn(json.span, from: position, &places)) != nil else { return false }
        number = shape.number(of: idColumn)
        return true
    }
}
