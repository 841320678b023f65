public import Foundation

/// The identity of a row: text or a 64-bit integer.
///
/// A UUID travels as its text. Text ids are the same when their UTF-8 bytes are, as on a server; two spellings
/// that Swift's `String` calls equal (composed and decomposed letters) stay two ids.
public enum RowID: Sendable {
    /// Any text, compared byte by byte.
    case text(String)
    /// A 64-bit integer.
    case integer(Int64)

    /// The id of a UUID: its text in upper case.
    public init(_ uuid: UUID) { self = .text(uuid.uuidString) }

    /// The id as a value of the id column.
    public var value: Value {
        switch self {
        case .text(let text): .text(text)
        case .integer(let integer): .integer(integer)
        }
    }

    /// Takes a value of an id column; nil for anything but text and integers.
    public init?(_ value: Value) {
        switch value {
        case .text(let text): self = .text(text)
        case .integer(let integer): self = .integer(integer)
        default: return nil
        }
    }
}

extension RowID: Hashable {
    /// Whether both are the same integer, or text of the same bytes.
    public static func == (left: RowID, right: RowID) -> Bool {
        switch (left, right) {
        case (.text(let left), .text(let right)): left.hasSameBytes(as: right)
        case (.integer(let left), .integer(let right)): left == right
        default: false
        }
    }

    /// Feeds the id to a hasher.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .text(let text): hasher.combine(text)
        case .integer(let integer): hasher.combine(integer)
        }
    }
}

extension RowID: CustomStringConvertible {
    /// The text or the digits.
    public var description: String {
        switch self {
        case .text(let text): text
        case .integer(let integer): String(integer)
        }
    }
}

extension RowID: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    /// A text id.
    public init(stringLiteral value: String) { self = .text(value) }
    /// An integer id.
    public init(integerLiteral value: Int64) { self = .integer(value) }
}

extension String {
    /// Whether both are the same bytes, which is stricter than `==` (canonical equivalence).
    func hasSameBytes(as other: String) -> Bool {
        // `==` compares memory where both are ASCII, and then says all there is to say.
        guard utf8.count == other.utf8.count, self == other else { return false }
        return utf8Span.isKnownASCII || utf8.elementsEqual(other.utf8)
    }
}
