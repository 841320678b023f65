// The form in rows. Whatever is not as it should be allows nothing: an ACL that is no object, an entry that is none, and
// a right that is anything but true, or 1, as tables without truth values have it.
extension ACL: Codable {
    /// Reads an ACL; what is odd in it allows nothing.
    public init(from decoder: any Decoder) throws {
        guard let container = try? decoder.container(keyedBy: Name.self) else { return }
        for key in container.allKeys {
            guard let entry = try? container.nestedContainer(keyedBy: Name.self, forKey: key) else {
                continue
            }
            let rights = Rights(read: Self.isTrue("read", entry), write: Self.isTrue("write", entry))
            allow(Party(name: key.stringValue), rights)
        }
    }

    /// Writes what is allowed.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Name.self)
        for party in parties {
            var entry = container.nestedContainer(keyedBy: Name.self, forKey: Name(stringValue: party.name))
            if rights(of: party).contains(.read) { try entry.encode(true, forKey: "read") }
            if rights(of: party).contains(.write) { try entry.encode(true, forKey: "write") }
        }
    }

    private static func isTrue(_ name: Name, _ entry: KeyedDecodingContainer<Name>) -> Bool {
        if let isTrue = try? entry.decode(Bool.self, forKey: name) { return isTrue }
        return (try? entry.decode(Double.self, forKey: name)) == 1
    }

    private struct Name: CodingKey, ExpressibleByStringLiteral {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init(stringLiteral value: String) { stringValue = value }
        init?(intValue: Int) { nil }
    }
}

extension ACL {
    /// The ACL as the JSON of the column, parties sorted by their names.
    public var json: [UInt8] {
        let entries = parties.map { party in
            let rights = rights(of: party)
            let words = [(Rights.read, "read"), (.write, "write")].filter { rights.contains($0.0) }.map(\.1)
            let members = words.map { JSONObject.Member(name: $0, value: true) }
            return JSONObject.Member(name: party.name, json: JSONObject.joined(members))
        }
        return Array(JSONObject.joined(entries))
    }

    /// Reads the JSON of the column; what is odd in it allows nothing, and of members with the same name the first counts.
    ///
    /// - Complexity: O(bytes).
    public init(json: ArraySlice<UInt8>) {
        self.init()
        var seen: Set<Party> = []
        for entry in (try? JSONObject.members(of: json)) ?? []
        where seen.insert(Party(name: entry.name)).inserted {
            let read = JSONObject.value(at: ["read"], in: entry.json)
            let write = JSONObject.value(at: ["write"], in: entry.json)
            allow(Party(name: entry.name), Rights(read: Self.isTrue(read), write: Self.isTrue(write)))
        }
    }

    private static func isTrue(_ value: Value) -> Bool { Where.compare(value, .equal, .bool(true)) == .true }
}

extension Row {
    /// The row's ACL; nil when it has none, so that everybody may read and write it.
    ///
    /// - Complexity: O(bytes of the row): the JSON is scanned.
    public var acl: ACL? {
        switch self[ColumnPath(ACL.column)] {
        case .null: nil
        case .json(let text): ACL(json: text.utf8Array[...])
        default: ACL()
        }
    }
}
