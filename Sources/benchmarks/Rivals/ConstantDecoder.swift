/// A decoder that reads nothing: it makes the same values again and again, of which text is made anew as of JSON.
///
/// What it takes any decoder takes, however it reads: `Codable` itself, and the text.
struct ConstantDecoder: Decoder {
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Container<Key>())
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw NotConstant() }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { throw NotConstant() }

    private struct NotConstant: Error {}

    /// The texts are as long as those of the rows that are measured.
    private static let texts: [[UInt8]] = [
        "person-000054321", "Person 54321", "person54321@example.org", "City 321",
    ]
    .map { Array($0.utf8) }

    private struct Container<Key: CodingKey>: KeyedDecodingContainerProtocol {
        var codingPath: [any CodingKey] { [] }
        var allKeys: [Key] { [] }

        func contains(_ key: Key) -> Bool { true }
        func decodeNil(forKey key: Key) -> Bool { false }
        func decode(_ type: Bool.Type, forKey key: Key) -> Bool { true }
        func decode(_ type: Int.Type, forKey key: Key) -> Int { 54_321 }
        func decode(_ type: Int64.Type, forKey key: Key) -> Int64 { 54_321 }
        func decode(_ type: Double.Type, forKey key: Key) -> Double { 54.25 }

        func decode(_ type: String.Type, forKey key: Key) -> String {
            let number =
                switch key.stringValue {
                case "objectId": 0
                case "name": 1
                case "email": 2
                default: 3
                }
            return String(decoding: ConstantDecoder.texts[number], as: UTF8.self)
        }

        func decodeIfPresent(_ type: String.Type, forKey key: Key) -> String? { decode(type, forKey: key) }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            throw NotConstant()
        }

        func nestedContainer<Nested: CodingKey>(
            keyedBy type: Nested.Type,
            forKey key: Key
        ) throws -> KeyedDecodingContainer<Nested> { throw NotConstant() }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            throw NotConstant()
        }

        func superDecoder() throws -> any Decoder { throw NotConstant() }
        func superDecoder(forKey key: Key) throws -> any Decoder { throw NotConstant() }
    }
}
