/// Any JSON value; an object keeps the order of its members, a whole number of 64 bits all its digits.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    case double(Double)
    case text(String)
    case array([JSONValue])
    case object([JSONMember])

    /// Whether it is a number.
    var isNumber: Bool {
        switch self {
        case .integer, .double: true
        default: false
        }
    }
}

/// A name and its value in a JSON object.
struct JSONMember: Sendable, Equatable {
    var name: String
    var value: JSONValue
}
