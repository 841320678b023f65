import Foundation

extension LiveRow: Codable {
    /// Reads a row of whatever members there are.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: AnyName.self)
        members = try container.members()
    }

    /// Writes the members.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: AnyName.self)
        for member in members { try container.encode(member.value, forKey: AnyName(member.name)) }
    }
}

/// A key of any name.
private struct AnyName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension KeyedDecodingContainer<AnyName> {
    /// The members, sorted by name.
    fileprivate func members() throws -> [JSONMember] {
        try allKeys.sorted { $0.stringValue < $1.stringValue }.map { key in
            JSONMember(name: key.stringValue, value: try decode(JSONValue.self, forKey: key))
        }
    }
}

extension JSONValue: Codable {
    /// Reads any value; what is most common in tables is tried first.
    init(from decoder: any Decoder) throws {
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let text = try? single.decode(String.self) {
            self = .text(text)
        } else if let integer = try? single.decode(Int64.self) {
            self = .integer(integer)
        } else if let double = try? single.decode(Double.self) {
            let decimal = Self.needsDecimal(double) ? try? single.decode(Decimal.self) : nil
            self = decimal.map { .decimal($0) } ?? .double(double)
        } else if let bool = try? single.decode(Bool.self) {
            self = .bool(bool)
        } else if let values = try? single.decode([JSONValue].self) {
            self = .array(values)
        } else {
            self = .object(try decoder.container(keyedBy: AnyName.self).members())
        }
    }

    /// Writes the value.
    func encode(to encoder: any Encoder) throws {
        if case .object(let members) = self {
            return try LiveRow(members: members).encode(to: encoder)
        }
        var single = encoder.singleValueContainer()
        switch self {
        case .object, .null: try single.encodeNil()
        case .bool(let value): try single.encode(value)
        case .integer(let value): try single.encode(value)
        case .decimal(let value): try single.encode(value)
        case .double(let value): try single.encode(value)
        case .text(let value): try single.encode(value)
        case .array(let values): try single.encode(values)
        }
    }
}
