import Foundation

/// Decodes elements from rows without making values of what nobody asks for.
///
/// It knows the plain case and is right there; whatever is not plain, an error included, is Foundation's: single values it does not
/// know it has `JSONDecoder` decode, and where a row as a whole is in doubt it is decoded again by that.
final class RowDecoder {
    /// Decodes what is not plain.
    let foundation: JSONDecoder
    /// How many times a second dates count; nil where they are text.
    let dateScale: Double?
    /// Whether an element may not be what Foundation would make of it.
    private(set) var isInDoubt = false

    /// - Parameters:
    ///   - foundation: Decodes what is not plain.
    ///   - dateScale: How many times a second dates count; nil where they are text.
    init(_ foundation: JSONDecoder, dateScale: Double?) {
        (self.foundation, self.dateScale) = (foundation, dateScale)
    }

    /// The element of a row; nil where Foundation has to decode it.
    func decode<Element: Decodable>(_ type: Element.Type, from json: ArraySlice<UInt8>) -> Element? {
        isInDoubt = false
        guard let object = try? RowObject(json, path: nil, self) else { return nil }
        guard let element = try? Element(from: object), !isInDoubt else { return nil }
        return element
    }

    /// Notes that the element has to be decoded again.
    func doubt() -> NotPlain {
        isInDoubt = true
        return NotPlain()
    }

    /// A single value, as Foundation decodes it.
    func unusual<Value: Decodable>(
        _ type: Value.Type,
        _ json: ArraySlice<UInt8>,
        _ range: Range<Int>
    ) throws -> Value {
        try foundation.decode(type, from: Data(JSONObject.slice(json, range)))
    }
}

/// What was asked for is not there, or not plain; nobody is told of it.
struct NotPlain: Error {}

/// The keys that lead to a value.
final class RowPath {
    private let parent: RowPath?
    private let key: any CodingKey

    init(_ key: any CodingKey, in parent: RowPath?) { (self.key, self.parent) = (key, parent) }

    /// The keys from the outside in.
    var keys: [any CodingKey] { (parent?.keys ?? []) + [key] }
}

/// The position of an element in an array, as a key.
struct ElementKey: CodingKey {
    let intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }

    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
}

/// Decodes from an object.
final class RowObject: Decoder {
    let json: ArraySlice<UInt8>
    let fields: RowFields
    let path: RowPath?
    let decoder: RowDecoder

    var codingPath: [any CodingKey] { path?.keys ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { decoder.foundation.userInfo }

    init(_ json: ArraySlice<UInt8>, path: RowPath?, _ decoder: RowDecoder) throws {
        (self.json, self.path, self.decoder) = (json, path, decoder)
        let bytes = json.span
        var position = 0
        JSONScanner.skipSpace(bytes, &position)
        do throws(JSONSyntaxError) { fields = try RowFields(bytes, &position) } catch {
            throw decoder.doubt()
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(RowKeyedContainer(self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotPlain() }

    func singleValueContainer() -> any SingleValueDecodingContainer {
        RowValueContainer(RowValue(json: json, path: path, decoder))
    }
}

// The values of members, by their names.
extension RowObject {
    var names: [String] { fields.names(in: json) }

    /// Where a value lies; nil when there is none.
    func range(_ name: String) -> Range<Int>? { fields.member(name, in: json)?.range }

    func isNull(_ range: Range<Int>) -> Bool { decoder.isNull(json, range) }

    /// Whether there is a value other than null.
    func isPresent(_ name: String) -> Bool { range(name).map { !decoder.isNull(json, $0) } ?? false }

    /// - Throws: When there is no value.
    private func known(_ name: String) throws -> Range<Int> {
        guard let range = range(name) else { throw NotPlain() }
        return range
    }

    func bool(_ name: String) throws -> Bool { try decoder.bool(json, known(name)) }
    func text(_ name: String) throws -> String {
        guard let field = fields.member(name, in: json) else { throw NotPlain() }
        return try decoder.text(json, field.range, hasEscapes: field.hasEscapes)
    }
    func double(_ name: String) throws -> Double { try decoder.double(json, known(name)) }
    func integer<Integer: FixedWidthInteger & Decodable>(_ name: String) throws -> Integer {
        try decoder.integer(json, known(name))
    }

    func unusual<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value {
        try decoder.unusual(type, json, known(name))
    }

    func value<Value: Decodable>(_ type: Value.Type, _ name: String, path: RowPath) throws -> Value {
        try decoder.value(type, json, known(name), path: path)
    }

    func nested(_ name: String, path: RowPath) throws -> RowValue {
        RowValue(json: JSONObject.slice(json, try known(name)), path: path, decoder)
    }
}

/// Decodes from a value of any kind.
struct RowValue: Decoder {
    let json: ArraySlice<UInt8>
    let path: RowPath?
    let decoder: RowDecoder

    var codingPath: [any CodingKey] { path?.keys ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { decoder.foundation.userInfo }

    init(json: ArraySlice<UInt8>, path: RowPath?, _ decoder: RowDecoder) {
        (self.json, self.path, self.decoder) = (json, path, decoder)
    }

    /// Where the value lies in its JSON.
    var all: Range<Int> { 0..<json.count }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard json.first == UInt8(ascii: "{") else { throw NotPlain() }
        return KeyedDecodingContainer(RowKeyedContainer(try RowObject(json, path: path, decoder)))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try RowUnkeyedContainer(self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { RowValueContainer(self) }
}
