import Foundation
import Synchronization

/// Decodes elements from rows, one after another, without making values of what nobody asks for.
///
/// It knows the plain case and is right there; whatever is not plain, an error included, is Foundation's: single values it does not
/// know it has `JSONDecoder` decode, and where a row as a whole is in doubt it is decoded again by that.
struct RowDecoder: Sendable {
    private let values: ValueDecoder
    private var json: [UInt8] = []
    private var fields = RowFields()
    /// What elements ask for, in that order: mostly what the last one did.
    private var expected: [RowObject.Asked] = []
    /// Grows with each row that asked for what was expected, and pays for learning what another one asked for: there is no use in
    /// that for elements that ask for something else each time.
    private var credit = 64

    /// Whether it does not hold on to much memory.
    var isSmall: Bool { json.capacity <= 1 << 16 }

    /// - Parameters:
    ///   - foundation: Decodes what is not plain.
    ///   - dateScale: How many times a second dates count; nil where they are text.
    init(_ foundation: JSONDecoder, dateScale: Double?) {
        values = ValueDecoder(foundation, dateScale: dateScale)
    }

    /// The element of a row; nil where Foundation has to decode it.
    mutating func decode<Element: Decodable>(_ type: Element.Type, from row: ArraySlice<UInt8>) -> Element? {
        // Bytes of its own: those of a page are counted by whoever decodes other rows of it at the same time.
        json.removeAll(keepingCapacity: true)
        json.append(contentsOf: row)
        values.beginElement()
        guard let isAlike = try? Self.read(json, &fields) else { return nil }
        if !isAlike { expected = [] }
        let object = RowObject(json, fields, expected: expected, path: nil, values)
        guard let element = try? Element(from: object), !values.isInDoubt else { return nil }
        if object.surprises.isEmpty {
            credit = min(credit + 1, 64)
        } else if credit >= 4 {
            expected = object.surprises
            credit -= 4
        }
        return element
    }

    private static func read(_ json: [UInt8], _ fields: inout RowFields) throws(JSONSyntaxError) -> Bool {
        try fields.read(json.span, from: JSONScanner.start(of: json))
    }
}

/// Decodes single values.
final class ValueDecoder: Sendable {
    /// Decodes what is not plain.
    let foundation: JSONDecoder
    /// How many times a second dates count; nil where they are text.
    let dateScale: Double?
    private let doubts = Atomic(false)

    /// Whether the element may not be what Foundation would make of it.
    var isInDoubt: Bool { doubts.load(ordering: .relaxed) }

    init(_ foundation: JSONDecoder, dateScale: Double?) {
        (self.foundation, self.dateScale) = (foundation, dateScale)
    }

    /// There is no doubt about the next element so far.
    func beginElement() { doubts.store(false, ordering: .relaxed) }

    /// Notes that the element has to be decoded again.
    func doubt() -> NotPlain {
        doubts.store(true, ordering: .relaxed)
        return NotPlain()
    }

    /// A value as Foundation decodes it.
    func unusual<Value: Decodable>(
        _ type: Value.Type,
        _ json: [UInt8],
        _ range: Range<Int>
    ) throws -> Value {
        try foundation.decode(type, from: Data(json[range]))
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

/// Decodes from a value of any kind.
struct RowValue: Decoder {
    let json: [UInt8]
    /// Where the value lies, without white space around it.
    let range: Range<Int>
    let path: RowPath?
    let decoder: ValueDecoder

    var codingPath: [any CodingKey] { path?.keys ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { decoder.foundation.userInfo }

    init(json: [UInt8], range: Range<Int>, path: RowPath?, _ decoder: ValueDecoder) {
        (self.json, self.range, self.path, self.decoder) = (json, range, path, decoder)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard !range.isEmpty, json[range.lowerBound] == UInt8(ascii: "{") else { throw NotPlain() }
        var fields = RowFields()
        do throws(JSONSyntaxError) { _ = try fields.read(json.span, from: range.lowerBound) } catch {
            throw decoder.doubt()
        }
        return RowObject(json, fields, path: path, decoder).container(keyedBy: type)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try RowUnkeyedContainer(self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { RowValueContainer(self) }
}
