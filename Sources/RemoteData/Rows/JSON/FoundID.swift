/// The id of a row that was found in its JSON.
enum FoundID: Equatable {
    /// Text that lies there as it is: where, without the quotes.
    case text(Range<Int>)
    /// The digits of an integer, with its sign.
    case integer(Range<Int>)
    /// One that lies there in another spelling, or nowhere.
    case apart(RowID)

    /// Takes the value of an id column; nil for anything but text and 64-bit integers.
    ///
    /// - Parameters:
    ///   - bytes: JSON.
    ///   - range: Where the value lies, which is one.
    ///   - hasEscapes: Whether it is text with escapes.
    init?(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>, hasEscapes: Bool) {
        if bytes[range.lowerBound] == UInt8(ascii: "\""), !hasEscapes {
            self = .text((range.lowerBound + 1)..<(range.upperBound - 1))
        } else if let id = RowID(JSONObject.scalar(bytes, range)) {
            if case .integer = id { self = .integer(range) } else { self = .apart(id) }
        } else {
            return nil
        }
    }

    /// The same for a value of which it is not known whether it has escapes.
    init?(_ bytes: borrowing Span<UInt8>, _ range: Range<Int>) {
        var hasEscapes = false
        for index in range where bytes[index] == UInt8(ascii: "\\") { hasEscapes = true }
        self.init(bytes, range, hasEscapes: hasEscapes)
    }

    /// Looks for an id that is known: its bytes are as good in any other place.
    ///
    /// Gives up where many others begin like it.
    ///
    /// - Complexity: O(bytes of the part that is looked through).
    init(_ id: RowID, in bytes: borrowing Span<UInt8>, _ part: Range<Int>) {
        let (text, isText) = if case .text(let text) = id { (text, true) } else { (id.description, false) }
        guard text.utf8.count <= UInt16.max,
            let offset = bytes.extracting(part).firstPlace(of: text.utf8.span)
        else {
            self = .apart(id)
            return
        }
        let start = part.lowerBound + offset
        let range = start..<(start + text.utf8.count)
        self = isText ? .text(range) : .integer(range)
    }

    /// The id.
    func id(in bytes: borrowing Span<UInt8>) -> RowID {
        switch self {
        case .text(let range): .text(String(copying: bytes.extracting(range)))
        case .integer(let range): .integer(Self.integer(bytes.extracting(range)))
        case .apart(let id): id
        }
    }

    /// What the digits of a 64-bit integer say.
    static func integer(_ digits: borrowing Span<UInt8>) -> Int64 {
        var number: Int64 = 0
        var isNegative = false
        for index in digits.indices {
            if digits[index] == UInt8(ascii: "-") {
                isNegative = true
            } else {
                number = number &* 10 &+ Int64(digits[index] &- UInt8(ascii: "0"))
            }
        }
        return isNegative ? 0 &- number : number
    }
}

extension Span<UInt8> {
    /// Where some bytes lie first; nil when they lie nowhere, or so many begin like them that looking takes too long.
    ///
    /// - Complexity: O(bytes).
    fileprivate func firstPlace(of other: borrowing Span<UInt8>) -> Int? {
        guard !other.isEmpty else { return 0 }
        var place = 0
        // How many bytes may be found to be alike.
        var budget = 2 * count
        while place <= count - other.count, budget >= 0 {
            var alike = 0
            while alike < other.count, self[place + alike] == other[alike] { alike += 1 }
            if alike == other.count { return place }
            budget -= alike
            place += 1
        }
        return nil
    }
}
