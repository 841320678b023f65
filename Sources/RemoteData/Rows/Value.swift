/// A value of a column, or a literal in a where clause.
///
/// Numbers written without fraction and exponent that fit 64 bits are `integer`, all others `double`. Equality is
/// of the same kind and the same bytes; to compare as a table does, use ``order(_:_:)``.
public enum Value: Sendable {
    /// Nothing; a column the row does not have reads the same.
    case null
    /// True or false. Compares as 1 or 0.
    case bool(Bool)
    /// A 64-bit integer.
    case integer(Int64)
    /// Any other number.
    case double(Double)
    /// Text, compared byte by byte in UTF-8.
    case text(String)
    /// An array or object as JSON text without optional white space. Compares as that text.
    case json(String)
}

extension Value: Hashable {
    /// Whether both are the same kind and the same bytes.
    public static func == (left: Value, right: Value) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.integer(let left), .integer(let right)): left == right
        case (.double(let left), .double(let right)): left == right
        case (.text(let left), .text(let right)), (.json(let left), .json(let right)):
            left.hasSameBytes(as: right)
        default: false
        }
    }

    /// Feeds the value to a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let value): hasher.combine(value)
        case .integer(let value): hasher.combine(value)
        case .double(let value): hasher.combine(value)
        case .text(let value), .json(let value): hasher.combine(value)
        }
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// True or false.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Null.
    public init(nilLiteral: ()) { self = .null }
}
