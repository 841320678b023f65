/// The elements of an array, one after another.
struct RowUnkeyedContainer: UnkeyedDecodingContainer {
    private let parent: RowValue
    private let elements: [Range<Int>]
    private(set) var currentIndex = 0

    init(_ parent: RowValue) throws {
        self.parent = parent
        let bytes = parent.json.span
        var position = parent.range.lowerBound
        guard position < bytes.count, bytes[position] == UInt8(ascii: "[") else { throw NotPlain() }
        var ranges: [Range<Int>] = []
        var elements = try JSONScanner.Elements(bytes, &position, depth: 0)
        while try elements.next(bytes, &position) {
            let start = position
            try JSONScanner.skipValue(bytes, &position, depth: 1)
            ranges.append(start..<position)
        }
        self.elements = ranges
    }

    var codingPath: [any CodingKey] { parent.codingPath }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex == elements.count }

    private func current() throws -> RowValue {
        guard !isAtEnd else { throw NotPlain() }
        let path = RowPath(ElementKey(currentIndex), in: parent.path)
        return RowValue(json: parent.json, range: elements[currentIndex], path: path, parent.decoder)
    }

    mutating func decodeNil() throws -> Bool {
        let value = try current()
        let isNull = parent.decoder.isNull(value.json, value.range)
        if isNull { currentIndex += 1 }
        return isNull
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try RowValueContainer(try current()).decode(type)
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let container = try current().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try current().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder { throw parent.decoder.doubt() }
}

/// A value by itself.
struct RowValueContainer: SingleValueDecodingContainer {
    private let value: RowValue

    init(_ value: RowValue) { self.value = value }

    var codingPath: [any CodingKey] { value.codingPath }

    func decodeNil() -> Bool { value.decoder.isNull(value.json, value.range) }
    func decode(_ type: Bool.Type) throws -> Bool { try value.decoder.bool(value.json, value.range) }
    func decode(_ type: String.Type) throws -> String { try value.decoder.text(value.json, value.range) }
    func decode(_ type: Double.Type) throws -> Double { try value.decoder.double(value.json, value.range) }
    func decode(_ type: Float.Type) throws -> Float {
        try value.decoder.unusual(type, value.json, value.range)
    }
    func decode(_ type: Int.Type) throws -> Int { try value.decoder.integer(value.json, value.range) }
    func decode(_ type: Int8.Type) throws -> Int8 { try value.decoder.integer(value.json, value.range) }
    func decode(_ type: Int16.Type) throws -> Int16 { try value.decoder.integer(value.json, value.range) }
    func decode(_ type: Int32.Type) throws -> Int32 { try value.decoder.integer(value.json, value.range) }
    func decode(_ type: Int64.Type) throws -> Int64 { try value.decoder.integer(value.json, value.range) }
    func decode(_ type: UInt.Type) throws -> UInt { try value.decoder.integer(value.json, value.range) }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try value.decoder.integer(value.json, value.range) }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try value.decoder.integer(value.json, value.range) }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try value.decoder.integer(value.json, value.range) }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try value.decoder.integer(value.json, value.range) }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        try value.decoder.value(type, value.json, value.range, path: value.path)
    }
}
