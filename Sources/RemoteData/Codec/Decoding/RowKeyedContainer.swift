/// The members of an object, by their keys.
struct RowKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    private let object: RowObject

    init(_ object: RowObject) { self.object = object }

    var codingPath: [any CodingKey] { object.codingPath }

    var allKeys: [Key] {
        object.fields.fields.compactMap { field in
            let start = object.json.startIndex
            let name = object.json[
                (start + Int(field.name.lowerBound))..<(start + Int(field.name.upperBound))
            ]
            return Key(stringValue: String(decoding: name, as: UTF8.self))
        }
    }

    func contains(_ key: Key) -> Bool { object.range(key) != nil }

    /// Where a member lies.
    ///
    /// - Throws: When it is not there.
    @inline(__always)
    private func range(_ key: Key) throws -> Range<Int> {
        guard let range = object.range(key) else { throw NotPlain() }
        return range
    }

    /// The same; nil when it is not there, or null.
    @inline(__always)
    private func present(_ key: Key) -> Range<Int>? {
        guard let range = object.range(key), !object.decoder.isNull(object.json, range) else {
            return nil
        }
        return range
    }

    @inline(__always)
    private func integer<Integer: FixedWidthInteger & Decodable>(_ range: Range<Int>) throws -> Integer {
        try object.decoder.integer(object.json, range)
    }

    private func path(_ key: Key) -> RowPath { RowPath(key, in: object.path) }

    func decodeNil(forKey key: Key) throws -> Bool {
        object.decoder.isNull(object.json, try range(key))
    }

    // MARK: Values

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool {
        try object.decoder.bool(object.json, range(key))
    }
    func decode(_ type: String.Type, forKey key: Key) throws -> String {
        try object.decoder.text(object.json, range(key))
    }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double {
        try object.decoder.double(object.json, range(key))
    }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try object.decoder.unusual(type, object.json, range(key))
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try integer(range(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try integer(range(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 {
        try integer(range(key))
    }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 {
        try integer(range(key))
    }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 {
        try integer(range(key))
    }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try integer(range(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 {
        try integer(range(key))
    }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 {
        try integer(range(key))
    }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 {
        try integer(range(key))
    }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 {
        try integer(range(key))
    }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try object.decoder.value(type, object.json, range(key), path: path(key))
    }

    // MARK: Optional values

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try present(key).map { try object.decoder.bool(object.json, $0) }
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try present(key).map { try object.decoder.text(object.json, $0) }
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map { try object.decoder.double(object.json, $0) }
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try integer($0) }
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try present(key).map { try integer($0) }
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try present(key).map { try object.decoder.value(type, object.json, $0, path: path(key)) }
    }

    // MARK: Containers

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try nested(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try nested(key).unkeyedContainer()
    }

    private func nested(_ key: Key) throws -> RowValue {
        RowValue(json: JSONObject.slice(object.json, try range(key)), path: path(key), object.decoder)
    }

    func superDecoder() throws -> any Decoder { throw object.decoder.doubt() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw object.decoder.doubt() }
}
