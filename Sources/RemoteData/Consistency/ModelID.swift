public import Foundation

/// The id of a model, the same wherever the thing it describes is held: the id that it has among things of its kind, and the kind.
///
/// ```swift
/// var modelID: ModelID? { ModelID(id, of: "person") }
/// ```
///
/// Rows of a table have the table's name for a kind.
public struct ModelID: Sendable {
    /// What kind of thing it is, so that ids of different kinds never meet; empty where ids are unique by themselves.
    public let kind: String
    /// The id among things of this kind.
    public let text: String

    /// The id of text, which counts byte by byte.
    public init(_ text: String, of kind: String = "") {
        self.kind = kind
        self.text = text
    }

    /// The id of a number, as its digits.
    public init(_ number: some BinaryInteger, of kind: String) { self.init(String(number), of: kind) }

    /// The id of a UUID, as its text in upper case.
    public init(_ uuid: UUID, of kind: String) { self.init(uuid.uuidString, of: kind) }

    /// The id of a row.
    public init(_ id: RowID, of kind: String) { self.init(id.description, of: kind) }
}

extension ModelID {
    /// The id as text that no other id has, for keeping.
    var key: String {
        guard !kind.isEmpty else { return "/\(text)" }
        let kind = kind.contains { $0 == "/" || $0 == "%" } ? Self.escaped(kind) : kind
        return "\(kind)/\(text)"
    }

    private static func escaped(_ kind: String) -> String {
        var escaped = ""
        for character in kind {
            switch character {
            case "%": escaped += "%25"
            case "/": escaped += "%2F"
            default: escaped.append(character)
            }
        }
        return escaped
    }
}

extension ModelID: Hashable {
    /// Whether both are the same bytes.
    public static func == (left: ModelID, right: ModelID) -> Bool {
        left.text.hasSameBytes(as: right.text) && left.kind.hasSameBytes(as: right.kind)
    }

    /// Feeds the id to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(kind)
    }
}

extension ModelID: CustomStringConvertible, ExpressibleByStringLiteral {
    /// The kind and the id, with a slash between them: `person/ada`.
    public var description: String { kind.isEmpty ? text : "\(kind)/\(text)" }

    /// An id of no kind.
    public init(stringLiteral text: String) { self.init(text) }
}
