/// A where clause: one syntax tree with several faces.
///
/// It is parsed from SQL-like text or built from a `#Predicate`, printed back as text, evaluated on rows with SQL's
/// three-valued logic, and rendered by each table to its own dialect.
///
/// Values compare as ``Value/order(_:_:)`` says. A comparison with null is unknown, and only rows for which
/// the clause is true match. Lists of `and` and `or` have at least two parts.
public indirect enum Where: Hashable, Sendable {
    /// `left op right`.
    case comparison(Operand, Comparison, Operand)
    /// `operand LIKE 'pattern'`; false for what is not text, unknown for null.
    case like(Operand, LikePattern)
    /// `operand IN (a, b, …)`.
    case isIn(Operand, [Operand])
    /// `operand IN (SELECT column FROM table WHERE …)`: the operand is the same as a value of another table; unknown for null,
    /// unless there is no value.
    ///
    /// Only tables that have others beside them can answer it; on a row by itself it is unknown.
    case isAmong(Operand, SubQuery)
    /// `operand BETWEEN low AND high`, both ends included.
    case between(Operand, low: Operand, high: Operand)
    /// `operand CONTAINS ANY (a, b, …)`: the operand is a JSON array that has such elements; false for what is no array,
    /// unknown for null.
    case contains(Operand, Elements)
    /// `operand MATCHES 'pattern'`: text in which a regular expression is found; false for what is not text, unknown
    /// for null.
    case regex(Operand, RegexPattern)
    /// `DISTANCE(latitude, longitude, 51.5, -0.12) <= 1000`: how far the point in two columns is from a fixed one, in
    /// metres.
    case distance(Distance)
    /// `operand IS NULL`; never unknown.
    case isNull(Operand)
    /// A bare operand as a condition: true when a number other than zero, false for zero and text.
    case truth(Operand)
    /// All parts are true.
    case and([Where])
    /// At least one part is true.
    case or([Where])
    /// The part is false; unknown stays unknown.
    case not(Where)
}

extension Where {
    /// What a condition speaks of.
    public enum Operand: Hashable, Sendable {
        /// The value of a column in the row.
        case column(ColumnPath)
        /// A value written in the clause; never ``Value/json(_:)``.
        case literal(Value)
    }

    /// How two operands are compared.
    public enum Comparison: String, Hashable, Sendable, CaseIterable {
        /// The same.
        case equal = "="
        /// Not the same.
        case notEqual = "<>"
        /// Less than.
        case less = "<"
        /// Less than or the same.
        case lessOrEqual = "<="
        /// Greater than.
        case greater = ">"
        /// Greater than or the same.
        case greaterOrEqual = ">="

        /// Whether this holds for two values in an order.
        public func holds(_ order: Order) -> Bool {
            switch self {
            case .equal: order == .same
            case .notEqual: order != .same
            case .less: order == .ascending
            case .lessOrEqual: order != .descending
            case .greater: order == .descending
            case .greaterOrEqual: order != .ascending
            }
        }
    }

    /// Text with wildcards: `%` stands for any run of characters, `_` for one Unicode scalar.
    public struct LikePattern: Hashable, Sendable {
        /// The pattern as written.
        public let text: String
        /// The character that takes a following wildcard, or itself, literally.
        public let escape: Unicode.Scalar?
        /// Whether letters match in either case (`ILIKE`), by Unicode lowercase mapping of each scalar.
        public let ignoresCase: Bool

        /// Creates a pattern.
        public init(_ text: String, escape: Unicode.Scalar? = nil, ignoresCase: Bool = false) {
            self.text = text
            self.escape = escape
            self.ignoresCase = ignoresCase
        }

        /// Whether both are the same bytes with the same settings.
        public static func == (left: LikePattern, right: LikePattern) -> Bool {
            left.text.hasSameBytes(as: right.text) && left.escape == right.escape
                && left.ignoresCase == right.ignoresCase
        }
    }
}
