/// The members of an object, by their keys.
struct RowKeyedContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    // One word, since a container is copied for each value that is asked of it.
    private let object: RowObject

    init(_ object: RowObject) { self.object = object }

    var codingPath: [any CodingKey] { object.codingPath }

    var allKeys: [Key] { object.names.compactMap { Key(stringValue: $0) } }

    func contains(_ key: Key) -> Bool { object.contains(key.stringValue) }

    func decodeNil(forKey key: Key) throws -> Bool { try object.isNull(key.stringValue) }

    // MARK: Values

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try object.bool(key.stringValue) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try object.text(key.stringValue) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try object.double(key.stringValue) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float {
        try object.unusual(type, key.stringValue)
    }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try object.integer(key.stringValue) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try object.integer(key.stringValue) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try object.integer(key.stringValue) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try object.integer(key.stringValue) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try object.integer(key.stringValue) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try object.integer(key.stringValue) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try object.integer(key.stringValue) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try object.integer(key.stringValue) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try object.integer(key.stringValue) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try object.integer(key.stringValue) }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try object.value(type, key.stringValue, key)
    }

    // MARK: Optional values

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? {
        try object.boolIfPresent(key.stringValue)
    }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? {
        try object.textIfPresent(key.stringValue)
    }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try object.doubleIfPresent(key.stringValue)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try object.integerIfPresent(key.stringValue)
    }
    func decodeIfPresent(_ type: Int64.Type, forKey key: Key) throws -> Int64? {
        try object.integerIfPresent(key.stringValue)
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try object.valueIfPresent(type, key.stringValue, key)
    }

    // MARK: Containers

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try object.nested(key.stringValue, key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try object.nested(key.stringValue, key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { throw object.doubt() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw object.doubt() }
}
