// The beginning of a key as a number, by which most keys are told apart without reading a row's JSON again: what sorting
// in databases knows as abbreviated keys.
//
// Of two keys with different numbers the one with the smaller number comes first. With the same number, nothing is known.
extension Key {
    /// The beginning as a number.
    func beginning(sort: [SortTerm]) -> UInt64 {
        if let place { return place.beginning }
        guard let term = sort.first, let value = values.first else { return id.beginning }
        return term.beginning(of: value)
    }

    /// The beginning of a row's key.
    ///
    /// - Complexity: O(bytes of the row) with a sort, O(1) without.
    // Inlined, as the whole row would be copied to be handed over.
    @inline(__always)
    static func beginning(of row: borrowing Row, sort: [SortTerm]) -> UInt64 {
        if let place = row.place { return place.beginning }
        guard let term = sort.first else { return row.idBeginning }
        return term.beginning(of: row[term.column])
    }
}

extension Key {
    /// The beginnings of the keys of rows.
    static func beginnings(of rows: [Row], sort: [SortTerm]) -> [UInt64] {
        let rows = rows.span
        var beginnings: [UInt64] = []
        beginnings.reserveCapacity(rows.count)
        if sort.isEmpty, rows.isEmpty || rows[0].place == nil {
            // Nothing of a row but its id is looked at.
            for offset in rows.indices { beginnings.append(rows[offset].idBeginning) }
        } else {
            for offset in rows.indices { beginnings.append(beginning(of: rows[offset], sort: sort)) }
        }
        return beginnings
    }
}

extension RowID {
    /// The beginning of the id as a value.
    @inline(__always)
    var beginning: UInt64 {
        switch self {
        case .text(let text): Value.beginning(of: text)
        case .integer(let integer): Value.beginning(of: Double(integer))
        }
    }
}

extension SortPlace {
    /// The first two digits.
    fileprivate var beginning: UInt64 {
        UInt64(digits[0]) << 32 | UInt64(digits.count > 1 ? digits[1] : 0)
    }
}

extension SortTerm {
    /// The beginning of a value in the order of the term.
    func beginning(of value: Value) -> UInt64 {
        if case .null = value { return nullsFirst ? 0 : .max }
        return isAscending ? value.beginning : ~value.beginning
    }
}

extension Value {
    /// The beginning of a value in ascending order: two bits for its kind, so that those of null and of all others differ in
    /// either direction, and 62 for a number or for text.
    fileprivate var beginning: UInt64 {
        switch self {
        case .null: 0
        case .bool(let value): Self.beginning(of: value ? 1 : 0)
        case .integer(let value): Self.beginning(of: Double(value))
        case .double(let value): Self.beginning(of: value)
        case .text(let text), .json(let text): Self.beginning(of: text)
        }
    }

    @inline(__always)
    fileprivate static func beginning(of text: String) -> UInt64 { beginning(of: text.utf8Span.span) }

    @inline(__always)
    static func beginning(of text: borrowing Span<UInt8>) -> UInt64 { 2 << 62 | text.beginning >> 2 }

    /// The sign and the magnitude as IEEE 754 has them, turned around so that larger numbers have larger bits.
    fileprivate static func beginning(of number: Double) -> UInt64 {
        // There are two zeros, neither of which is below 0: they come out the same.
        let ordered = number < 0 ? ~number.bitPattern : number.bitPattern | 1 << 63
        return 1 << 62 | ordered >> 2
    }
}

extension Span<UInt8> {
    /// The first eight bytes.
    fileprivate var beginning: UInt64 {
        if count >= 8 { return JSONScanner.word(self, 0).byteSwapped }
        var number: UInt64 = 0
        for index in indices { number |= UInt64(self[index]) << UInt64(56 - 8 * index) }
        return number
    }
}
