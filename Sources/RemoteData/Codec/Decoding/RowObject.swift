import Foundation

/// Decodes from an object.
final class RowObject: Decoder {
    /// What was asked for by name, and the number of that member; nil where it is not there.
    typealias Asked = (name: String, number: Int?)

    // What does not change need not be counted by who uses it, nor looked after while it is used.
    private let json: [UInt8]
    private let fields: RowFields
    private let expected: [Asked]
    private let path: RowPath?
    private let decoder: ValueDecoder
    private var turn = 0
    /// What has been asked for, up to the last that was not expected.
    private(set) var surprises: [Asked] = []

    var codingPath: [any CodingKey] { path?.keys ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { decoder.foundation.userInfo }

    /// - Parameters:
    ///   - json: The text the object is in.
    ///   - fields: Its members.
    ///   - expected: What is going to be asked for, in that order.
    ///   - path: What leads to it.
    ///   - decoder: Decodes the values.
    init(
        _ json: [UInt8],
        _ fields: RowFields,
        expected: [Asked] = [],
        path: RowPath?,
        _ decoder: ValueDecoder
    ) {
        (self.json, self.fields, self.expected, self.path, self.decoder) = (
            json, fields, expected, path, decoder
        )
    }

    /// The member of a name; nil when there is none.
    @inline(__always)
    private func field(_ name: String) -> RowFields.Field? {
        let turn = turn
        self.turn = turn &+ 1
        if turn < expected.count, expected[turn].name == name {
            return expected[turn].number.flatMap { fields.member($0) }
        }
        return unexpected(name, turn).flatMap { fields.member($0) }
    }

    private func unexpected(_ name: String, _ turn: Int) -> Int? {
        let number = fields.number(of: name)
        // Of an object inside a row nobody wants to know.
        if path == nil, turn < RowFields.limit {
            // What was expected and came is not among them yet.
            while surprises.count < turn { surprises.append(expected[surprises.count]) }
            surprises.append((name, number))
        }
        return number
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RowKeyedContainer(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotPlain() }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        RowValueContainer(RowValue(json: json, range: json.indices, path: path, decoder))
    }

    /// Notes that the element has to be decoded again.
    func doubt() -> NotPlain { decoder.doubt() }
}

// The values of members, by their names.
extension RowObject {
    var names: [String] { fields.names }

    func contains(_ name: String) -> Bool { field(name) != nil }

    /// - Throws: When there is no value.
    @inline(__always)
    private func member(_ name: String) throws -> RowFields.Field {
        guard let field = field(name) else { throw NotPlain() }
        return field
    }

    /// A value other than null; nil when there is none.
    @inline(__always)
    private func present(_ name: String) -> RowFields.Field? {
        guard let field = field(name), !decoder.isNull(json, field.range) else { return nil }
        return field
    }

    func isNull(_ name: String) throws -> Bool { decoder.isNull(json, try member(name).range) }

    func bool(_ name: String) throws -> Bool { try decoder.bool(json, member(name).range) }

    func text(_ name: String) throws -> String {
        let field = try member(name)
        return try decoder.text(json, field.range, hasEscapes: field.hasEscapes)
    }

    func double(_ name: String) throws -> Double { try decoder.double(json, member(name).range) }

    func integer<Integer: FixedWidthInteger & Decodable>(_ name: String) throws -> Integer {
        try decoder.integer(json, member(name).range)
    }

    func unusual<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        try decoder.unusual(type, json, member(name).range)
    }

    func value<Value: Decodable>(_ type: Value.Type, _ name: String, _ key: some CodingKey) throws -> Value {
        try decoder.value(type, json, member(name).range, path: RowPath(key, in: path))
    }

    func boolIfPresent(_ name: String) throws -> Bool? {
        guard let field = present(name) else { return nil }
        return try decoder.bool(json, field.range)
    }

    func textIfPresent(_ name: String) throws -> String? {
        guard let field = present(name) else { return nil }
        return try decoder.text(json, field.range, hasEscapes: field.hasEscapes)
    }

    func doubleIfPresent(_ name: String) throws -> Double? {
        guard let field = present(name) else { return nil }
        return try decoder.double(json, field.range)
    }

    func integerIfPresent<Integer: FixedWidthInteger & Decodable>(_ name: String) throws -> Integer? {
        guard let field = present(name) else { return nil }
        return try decoder.integer(json, field.range)
    }

    func valueIfPresent<Value: Decodable>(
        _ type: Value.Type,
        _ name: String,
        _ key: some CodingKey
    ) throws -> Value? {
        guard let field = present(name) else { return nil }
        return try decoder.value(type, json, field.range, path: RowPath(key, in: path))
    }

    func nested(_ name: String, _ key: some CodingKey) throws -> RowValue {
        RowValue(json: json, range: try member(name).range, path: RowPath(key, in: path), decoder)
    }
}
