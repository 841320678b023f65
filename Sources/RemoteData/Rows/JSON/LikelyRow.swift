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

    /// Moves behind a row and returns its id; nil, and nothing is moved, where it is not as expected.
    mutating func id(_ bytes: borrowing Span<UInt8>, _ position: inout Int) -> RowID? {
        guard let (id, end) = find(bytes, position) ?? learn(bytes, position) else { return nil }
        position = end
        return id
    }

    private mutating func find(_ bytes: borrowing Span<UInt8>, _ position: Int) -> (RowID, end: Int)? {
        guard let number, let end = shape.find(bytes, from: position, &places), places[number].isThere,
            let id = id(bytes, places[number])
        else { return nil }
        credit = min(credit + 1, 64)
        return (id, end)
    }

    private func id(_ bytes: borrowing Span<UInt8>, _ place: JSONShape.Place) -> RowID? {
        let range = place.range
        guard bytes[range.lowerBound] == UInt8(ascii: "\""), !place.hasEscapes else {
            return RowID(JSONObject.scalar(bytes, range))
        }
        return .text(String(copying: bytes.extracting((range.lowerBound + 1)..<(range.upperBound - 1))))
    }

    private mutating func learn(_ bytes: borrowing Span<UInt8>, _ position: Int) -> (RowID, end: Int)? {
        guard credit >= 4 else { return nil }
        credit -= 4
        number = nil
        guard (try? shape.learn(bytes, from: position, &places)) != nil else { return nil }
        number = shape.number(of: idColumn)
        return find(bytes, position)
    }
}
