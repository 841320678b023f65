import Foundation

/// Any JSON value; an object keeps the order of its members, a whole number of 38 digits all of them.
enum JSONValue: Sendable, Equatable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// A whole number beyond 64 bits.
    case decimal(Decimal)
    case double(Double)
    case text(String)
    case array([JSONValue])
    case object([JSONMember])

    /// Whether a number has digits that ``decimal(_:)`` keeps, and ``double(_:)`` may not.
    static func needsDecimal(_ value: Double) -> Bool { abs(value) >= 0x1p63 && abs(value) < 1e38 }

    /// Whether it is a number.
    var isNumber: Bool {
        switch self {
        case .integer, .decimal, .double: true
        default: false
        }
    }
}

/// A name and its value in a JSON object.
struct JSONMember: Sendable, Equatable {
    var name: String
    var value: JSONValue
}
