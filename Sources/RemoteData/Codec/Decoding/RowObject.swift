import Foundation

/// Decodes from an object, and then from others that have the same members.
final class RowObject: Decoder {
    /// What was asked for by name, and the number of that member; nil where there is none.
    typealias Asked = (name: String, number: Int?)

    /// Objects that have the same members.
    struct Batch {
        /// The text they are in.
        var json: [UInt8] = []
        /// Where in it each of them lies.
        var objects: [Range<Int>] = []
        /// Where the members of each have their values; more may follow, which mean nothing.
        var places: [JSONShape.Place] = []

        /// After how many bytes no more of them are added.
        private static let sizeLimit = 1 << 18

        /// Whether there are to be no more.
        var isFull: Bool { json.count >= Self.sizeLimit }

        /// How many bytes it takes.
        var size: Int {
            json.capacity + objects.capacity * MemoryLayout<Range<Int>>.stride
                + places.capacity * MemoryLayout<JSONShape.Place>.stride
        }

        /// Adds the text of an object.
        mutating func append(_ text: ArraySlice<UInt8>) {
            let start = json.count
            json.append(contentsOf: text)
            objects.append(start..<json.count)
        }

        /// Adds rows until it is full.
        mutating func append(_ rows: [Row], _ range: Range<Int>) {
            Row.copy(rows, range, until: Self.sizeLimit, into: &json, &objects)
        }
    }

    // What does not change need not be counted by who uses it, nor looked after while it is used.
    private let json: [UInt8]
    private let objects: [Range<Int>]
    private let places: [JSONShape.Place]
    private let shape: JSONShape
    private let expected: [Asked]
    private let idColumn: String?
    private let path: RowPath?
    private let decoder: ValueDecoder
    private var number = 0
    /// The place of the first member.
    private var first = 0
    private var turn = 0
    /// What has been asked for, up to the last that was not expected.
    private(set) var surprises: [Asked] = []
    /// Whether anything was asked for that was not expected.
    var hasSurprises: Bool { !surprises.isEmpty }
    /// Whether the container may be handed out again for the next object.
    ///
    /// Not to elements that keep it, which is found out with the first of each batch. Nothing that is Sendable can keep one but by
    /// going round the compiler.
    var remembersContainer = false
    private var remembered: AnyObject?

    var codingPath: [any CodingKey] { path?.keys ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { decoder.foundation.userInfo }

    /// - Parameters:
    ///   - batch: The objects; it decodes from the first one unless told to begin another.
    ///   - shape: The members they have.
    ///   - expected: What is going to be asked for, in that order.
    ///   - idColumn: The member that is called `id`, where it is called otherwise.
    ///   - path: What leads to it.
    ///   - decoder: Decodes the values.
    init(
        _ batch: Batch,
        _ shape: JSONShape,
        expected: [Asked] = [],
        idColumn: String? = nil,
        path: RowPath?,
        _ decoder: ValueDecoder
    ) {
        (json, objects, places) = (batch.json, batch.objects, batch.places)
        (self.shape, self.expected) = (shape, expected)
        (self.idColumn, self.path, self.decoder) = (idColumn, path, decoder)
    }

    /// Begins with the object of a number.
    func begin(_ number: Int) {
        (self.number, first, turn) = (number, number * shape.count, 0)
        if !surprises.isEmpty { surprises = [] }
    }

    /// There are no more objects: whoever still asks finds nothing.
    func end() {
        first = places.count
        remembered = nil
    }

    /// The place of the value of a name; nil when there is none.
    @inline(__always)
    private func place(_ name: String) -> JSONShape.Place? {
        let turn = turn
        self.turn = turn &+ 1
        let number =
            turn < expected.count && expected[turn].name == name
            ? expected[turn].number : unexpected(name, turn)
        guard let number else { return nil }
        let index = first &+ number
        return index < places.count && places[index].isThere ? places[index] : nil
    }

    private func unexpected(_ name: String, _ turn: Int) -> Int? {
        let number = number(of: name)
        // Of an object inside a row nobody wants to know.
        if path == nil, turn < JSONShape.limit {
            // What was expected and came is not among them yet.
            while surprises.count < turn { surprises.append(expected[surprises.count]) }
            surprises.append((name, number))
        }
        return number
    }

    private func number(of name: String) -> Int? {
        guard let idColumn else { return shape.number(of: name) }
        return name == idColumn ? nil : shape.number(of: name == "id" ? idColumn : name)
    }

    /// The names of the values.
    var names: [String] {
        zip(shape.names, places.dropFirst(first)).compactMap { name, place in
            guard place.isThere else { return nil }
            return name == idColumn ? "id" : name
        }
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        // Making one takes longer than decoding a value.
        if let remembered = remembered as? RememberedContainer<Key> { return remembered.container }
        return makeContainer()
    }

    @inline(never)
    private func makeContainer<Key: CodingKey>() -> KeyedDecodingContainer<Key> {
        let container = KeyedDecodingContainer(RowKeyedContainer<Key>(self))
        if remembersContainer { remembered = RememberedContainer(container) }
        return container
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotPlain() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        // As a value by itself the object has the names of its text.
        guard idColumn == nil else { throw doubt() }
        let range = number < objects.count ? objects[number] : json.indices
        return RowValueContainer(RowValue(json: json, range: range, path: path, decoder))
    }

    /// Notes that the element has to be decoded again.
    func doubt() -> NotPlain { decoder.doubt() }
}

/// A container that is handed out again.
private final class RememberedContainer<Key: CodingKey> {
    let container: KeyedDecodingContainer<Key>

    init(_ container: KeyedDecodingContainer<Key>) { self.container = container }
}

// The values of members, by their names.
extension RowObject {
    func contains(_ name: String) -> Bool { place(name) != nil }

    /// - Throws: When there is no value.
    @inline(__always)
    private func member(_ name: String) throws -> JSONShape.Place {
        guard let place = place(name) else { throw NotPlain() }
        return place
    }

    /// A value other than null; nil when there is none.
    @inline(__always)
    private func present(_ name: String) -> JSONShape.Place? {
        guard let place = place(name), !decoder.isNull(json, place.range) else { return nil }
        return place
    }

    func isNull(_ name: String) throws -> Bool { decoder.isNull(json, try member(name).range) }

    func bool(_ name: String) throws -> Bool { try decoder.bool(json, member(name).range) }

    func text(_ name: String) throws -> String {
        let place = try member(name)
        return try decoder.text(json, place.range, hasEscapes: place.hasEscapes)
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
        guard let place = present(name) else { return nil }
        return try decoder.bool(json, place.range)
    }

    func textIfPresent(_ name: String) throws -> String? {
        guard let place = present(name) else { return nil }
        return try decoder.text(json, place.range, hasEscapes: place.hasEscapes)
    }

    func doubleIfPresent(_ name: String) throws -> Double? {
        guard let place = present(name) else { return nil }
        return try decoder.double(json, place.range)
    }

    func integerIfPresent<Integer: FixedWidthInteger & Decodable>(_ name: String) throws -> Integer? {
        guard let place = present(name) else { return nil }
        return try decoder.integer(json, place.range)
    }

    func valueIfPresent<Value: Decodable>(
        _ type: Value.Type,
        _ name: String,
        _ key: some CodingKey
    ) throws -> Value? {
        guard let place = present(name) else { return nil }
        return try decoder.value(type, json, place.range, path: RowPath(key, in: path))
    }

    func nested(_ name: String, _ key: some CodingKey) throws -> RowValue {
        RowValue(json: json, range: try member(name).range, path: RowPath(key, in: path), decoder)
    }
}
