/// The members of a made-up object: every one that is asked for.
struct SampleMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SampleDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    /// One member, for dictionaries.
    var allKeys: [Key] { decoder.isDeep ? [] : [Key(stringValue: "1")].compactMap { $0 } }

    func contains(_ key: Key) -> Bool { true }

    func decodeNil(forKey key: Key) -> Bool { decoder.at(key).isDeep }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        try decoder.at(key).invent(type)
    }

    /// What cannot be made up is left out.
    func decodeIfPresent<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T? {
        decodeNil(forKey: key) ? nil : try? decode(type, forKey: key)
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type,
        forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder.at(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.at(key).unkeyedContainer()
    }

    func superDecoder() -> any Decoder { decoder.at(SampleIndex(stringValue: "super")) }

    func superDecoder(forKey key: Key) -> any Decoder { decoder.at(key) }
}

/// The elements of a made-up list: two, or as many as are asked for.
struct SampleElements: UnkeyedDecodingContainer {
    let decoder: SampleDecoder
    private(set) var currentIndex = 0

    init(decoder: SampleDecoder) { self.decoder = decoder }

    var codingPath: [any CodingKey] { decoder.codingPath }
    var count: Int? { decoder.isDeep ? 0 : 2 }
    var isAtEnd: Bool { currentIndex >= (decoder.isDeep ? 0 : 2) }

    private mutating func next() -> SampleDecoder {
        defer { currentIndex += 1 }
        return decoder.at(SampleIndex(intValue: currentIndex))
    }

    mutating func decodeNil() -> Bool { false }

    mutating func decode<T: Decodable>(_ type: T.Type) throws -> T { try next().invent(type) }

    mutating func nestedContainer<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<
        Key
    > {
        try next().container(keyedBy: type)
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try next().unkeyedContainer()
    }

    mutating func superDecoder() -> any Decoder { next() }
}

/// A made-up value that is no container.
struct SampleValue: SingleValueDecodingContainer {
    let decoder: SampleDecoder

    var codingPath: [any CodingKey] { decoder.codingPath }

    func decodeNil() -> Bool { decoder.isDeep }

    func decode<T: Decodable>(_ type: T.Type) throws -> T { try decoder.invent(type) }
}

/// The place of an element in a made-up list.
struct SampleIndex: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }

    init(intValue: Int) { (stringValue, self.intValue) = (String(intValue), intValue) }
}
