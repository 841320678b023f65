/// The name of a column, or of a value inside a nested object: `city`, `address.city`.
///
/// Two paths are the same when the UTF-8 bytes of their names are, as in JSON.
public struct ColumnPath: Sendable {
    /// The names from the outside in; never empty.
    public let names: [String]

    /// Takes the names from the outside in.
    ///
    /// - Precondition: There is at least one name.
    public init(names: [String]) {
        precondition(!names.isEmpty, "a column path needs at least one name")
        self.names = names
    }

    /// A top-level column, whatever characters its name has.
    public init(_ name: String) { names = [name] }
}

extension ColumnPath: Hashable {
    /// Whether all names are the same bytes.
    public static func == (left: ColumnPath, right: ColumnPath) -> Bool {
        left.names.count == right.names.count
            && zip(left.names, right.names).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    /// Feeds the names to a hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}

extension ColumnPath: CustomStringConvertible {
    /// The path as a where clause spells it: dotted, with names in double quotes where they need it.
    public var description: String { names.map(Self.spelled).joined(separator: ".") }

    private static func spelled(_ name: String) -> String {
        let isPlain =
            !name.isEmpty && !(name.utf8.first.map { (48...57).contains($0) } ?? true)
            && name.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95
            }
        guard isPlain, !reserved.contains(name.uppercased()) else {
            return name.enclosed(in: "\"")
        }
        return name
    }

    /// The words that cannot be a bare column name.
    static let reserved: Set<String> = [
        "AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "ESCAPE", "BETWEEN", "IS", "NULL", "TRUE", "FALSE", "ASC",
        "DESC", "NULLS", "FIRST", "LAST",
    ]
}

extension ColumnPath: ExpressibleByStringLiteral {
    /// A top-level column.
    public init(stringLiteral value: String) { self.init(value) }
}

extension String {
    /// The text between quotes, with each quote in it doubled.
    ///
    /// Works on scalars: a quote with a combining mark behind it is no `Character` of its own.
    func enclosed(in quote: Unicode.Scalar) -> String {
        var result = String.UnicodeScalarView([quote])
        for scalar in unicodeScalars {
            if scalar == quote { result.append(quote) }
            result.append(scalar)
        }
        result.append(quote)
        return String(result)
    }
}
