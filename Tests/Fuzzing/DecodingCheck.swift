import Foundation
import RemoteData

/// What has to hold when a row is decoded: `JSONDecoder` makes the same of it, or refuses it as well.
enum DecodingCheck {
    /// Decodes a row as elements that take anything, and as one with columns of its own.
    ///
    /// - Throws: A finding when Foundation decodes another element, or none.
    static func run(_ row: Row, idColumn: String) throws(FuzzFinding) {
        switch row.id {
        case .text:
            try check(Anything<String>.self, row, idColumn)
            if idColumn == Columns.idColumn { try check(Columns.self, row, idColumn) }
        case .integer: try check(Anything<Int64>.self, row, idColumn)
        }
    }

    private static func check<Element: Codable & Identifiable & Equatable & Sendable>(
        _ type: Element.Type,
        _ row: Row,
        _ idColumn: String
    ) throws(FuzzFinding) {
        let codec = ElementCodec<Element>(idColumn: idColumn, dates: .epochMilliseconds)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .millisecondsSince1970
        let expected = try? decoder.decode(type, from: Data(row.json))
        let element = try? codec.decode(row)
        if let element {
            try require(
                element == expected,
                "\(element) is \(expected.map { "\($0)" } ?? "nothing") for Foundation"
            )
        } else if let expected {
            // An element whose id is not the row's is refused.
            try require(RowID(anyIdentifier: expected.id) != row.id, "Foundation decodes \(expected)")
        }
        // What was learned from the first row does not change the next.
        try require((try? codec.decode(row)) == element, "decoded again, it is another element")
    }
}

/// An element that takes whatever a row has.
private struct Anything<ID: Hashable & Sendable>: Codable, Identifiable, Equatable, Sendable {
    let members: [String: AnyJSON]

    var id: ID? {
        for name in ["objectId", "\u{E9}"] {
            if let id = members[name]?.scalar as? ID { return id }
        }
        return nil
    }

    init(from decoder: any Decoder) throws {
        members = try decoder.singleValueContainer().decode([String: AnyJSON].self)
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(members)
    }
}

/// Any JSON value.
private enum AnyJSON: Codable, Equatable, Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case natural(UInt64)
    case double(Double)
    case text(String)
    case array([AnyJSON])
    case object([String: AnyJSON])

    /// What it is, if that may be an id.
    var scalar: Any? {
        switch self {
        case .text(let text): text
        case .integer(let number): number
        default: nil
        }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(UInt64.self) {
            self = .natural(value)
        } else if let value = try? container.decode(Double.self) {
            self = .double(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([AnyJSON].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: AnyJSON].self))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .natural(let value): try container.encode(value)
        case .double(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .array(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// An element with columns of its own, of the kinds that elements have.
private struct Columns: Codable, Identifiable, Equatable, Sendable {
    static let idColumn = "objectId"

    struct Inner: Codable, Equatable, Sendable {
        var a: Int8?
        var b: [Double?]?
    }

    let id: String
    var a: Int?
    var b: Double?
    var c: Bool?
    var d: [String]?
    var e: Inner?
    var f: Date?
    var g: UInt16?
    var h: Decimal?

    private enum CodingKeys: String, CodingKey {
        case id = "objectId"
        case a, b, c, d, e, f, g, h
    }
}
