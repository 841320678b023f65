import RemoteData

/// A JSON object being written, member by member, into one buffer; names need no escapes unless said.
struct JSONText {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    /// Starts an object; `capacity` is how many bytes are expected.
    init(capacity: Int = 64) { bytes.reserveCapacity(capacity) }

    /// Adds a text.
    mutating func member(_ name: String, _ value: String) { add(name, JSONObject.quoted(value)) }

    /// Adds an integer.
    mutating func member(_ name: String, _ value: some BinaryInteger) { add(name, String(value).utf8) }

    /// Adds a boolean.
    mutating func member(_ name: String, _ value: Bool) { add(name, (value ? "true" : "false").utf8) }

    /// Adds what is JSON already.
    mutating func member(_ name: String, json: some Sequence<UInt8>) { add(name, json) }

    /// Adds what is JSON already, under any name.
    mutating func member(escaping name: String, json: some Sequence<UInt8>) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes += JSONObject.quoted(name)
        bytes.append(UInt8(ascii: ":"))
        bytes += json
    }

    /// The whole object.
    var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

    private mutating func add(_ name: String, _ value: some Sequence<UInt8>) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "\""))
        bytes += name.utf8
        bytes += [UInt8(ascii: "\""), UInt8(ascii: ":")]
        bytes += value
    }
}

extension JSONText {
    /// A JSON array of values that are JSON already, in one buffer.
    ///
    /// - Complexity: O(bytes).
    static func array(_ elements: some Collection<ArraySlice<UInt8>>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(elements.reduce(2) { $0 + $1.count + 1 })
        bytes.append(UInt8(ascii: "["))
        for element in elements {
            if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
            bytes += element
        }
        bytes.append(UInt8(ascii: "]"))
        return bytes
    }
}
