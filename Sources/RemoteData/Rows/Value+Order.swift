/// Which of two things comes first.
public enum Order: Sendable, Hashable {
    /// The left one comes first.
    case ascending
    /// Neither comes first.
    case same
    /// The right one comes first.
    case descending

    /// The opposite order.
    public var reversed: Order {
        switch self {
        case .ascending: .descending
        case .same: .same
        case .descending: .ascending
        }
    }

    init<T: Comparable>(_ left: T, _ right: T) {
        self = left < right ? .ascending : left == right ? .same : .descending
    }
}

extension Value {
    /// How two values sort: null, then numbers (booleans are 1 and 0), then text by its UTF-8 bytes.
    ///
    /// Integers and decimals compare exactly, without rounding either. This is SQLite's order with binary text.
    public static func order(_ left: Value, _ right: Value) -> Order {
        switch (left.comparable, right.comparable) {
        case (.integer(let left), .integer(let right)): Order(left, right)
        case (.double(let left), .double(let right)): Order(left, right)
        case (.integer(let left), .double(let right)): order(left, right)
        case (.double(let left), .integer(let right)): order(right, left).reversed
        case (.text(let left), .text(let right)): order(left, right)
        case (let left, let right): Order(left.rank, right.rank)
        }
    }

    /// The value with booleans as numbers and containers as text.
    private var comparable: Value {
        switch self {
        case .bool(let value): .integer(value ? 1 : 0)
        case .json(let text): .text(text)
        default: self
        }
    }

    private var rank: Int {
        switch self {
        case .null: 0
        case .bool, .integer, .double: 1
        case .text, .json: 2
        }
    }

    private static func order(_ left: String, _ right: String) -> Order {
        order(left.utf8.span, right.utf8.span)
    }

    /// The order of bytes, looking at eight at a time.
    static func order(_ left: borrowing Span<UInt8>, _ right: borrowing Span<UInt8>) -> Order {
        let shorter = min(left.count, right.count)
        var index = 0
        while shorter &- index >= 8 {
            let (first, second) = (JSONScanner.word(left, index), JSONScanner.word(right, index))
            // The first byte is the lowest, and decides.
            if first != second { return Order(first.byteSwapped, second.byteSwapped) }
            index &+= 8
        }
        while index < shorter {
            if left[index] != right[index] { return Order(left[index], right[index]) }
            index &+= 1
        }
        return Order(left.count, right.count)
    }

    private static func order(_ left: Int64, _ right: Double) -> Order {
        // 2^63 and beyond (and NaN, which a table never holds) cannot be converted without trapping.
        guard right < 0x1p63 else { return .ascending }
        guard right >= -0x1p63 else { return .descending }
        let whole = Int64(right)
        if left != whole { return Order(left, whole) }
        return Order(Double(whole), right)
    }
}
