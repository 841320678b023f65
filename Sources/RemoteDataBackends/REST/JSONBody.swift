import RemoteData

/// Prints one JSON object, member by member.
struct JSONBody {
    private var bytes: [UInt8] = [UInt8(ascii: "{")]

    /// The finished object.
    var closed: [UInt8] { bytes + [UInt8(ascii: "}")] }

    /// Adds text; nothing for nil.
    mutating func member(_ name: String, _ text: String?) {
        if let text { member(name, json: JSONObject.quoted(text)) }
    }

    /// Adds a number; nothing for nil.
    mutating func member(_ name: String, _ number: Int64?) {
        if let number { member(name, json: Array(String(number).utf8)) }
    }

    /// Adds JSON text as it is.
    mutating func member(_ name: String, json: [UInt8]) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes += JSONObject.quoted(name)
        bytes.append(UInt8(ascii: ":"))
        bytes += json
    }

    /// An array of JSON texts.
    static func array(_ elements: some Sequence<ArraySlice<UInt8>>) -> [UInt8] {
        var result: [UInt8] = [UInt8(ascii: "[")]
        for element in elements {
            if result.count > 1 { result.append(UInt8(ascii: ",")) }
            result += element
        }
        result.append(UInt8(ascii: "]"))
        return result
    }
}
