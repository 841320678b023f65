/// The names that lead from an object to a value in it.
typealias JSONPath = [String]

/// The values of an object that are no objects themselves, by where they are; without nulls.
typealias JSONLeaves = [JSONPath: ArraySlice<UInt8>]

extension JSONObject {
    /// The leaves of an object of these members; an empty object in it is one of them.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when an object in it is not valid.
    static func leaves(of members: [Member]) throws(RemoteDataError) -> JSONLeaves {
        var leaves: JSONLeaves = [:]
        try add(members, under: [], to: &leaves)
        return leaves
    }

    private static func add(
        _ members: [Member],
        under path: JSONPath,
        to leaves: inout JSONLeaves
    ) throws(RemoteDataError) {
        for member in members where !member.isNull {
            let inner = member.isObject ? try JSONObject.members(of: member.json) : []
            if inner.isEmpty {
                leaves[path + [member.name]] = member.json
            } else {
                try add(inner, under: path + [member.name], to: &leaves)
            }
        }
    }

    /// The value of a member.
    static func json(of name: String, in members: [Member]) -> ArraySlice<UInt8>? {
        members.first { $0.name.hasSameBytes(as: name) }?.json
    }
}

extension JSONObject.Member {
    /// Whether the value is an object; encoders write none with space before it.
    var isObject: Bool { json.first == UInt8(ascii: "{") }

    /// Whether the value is null.
    var isNull: Bool { json.first == UInt8(ascii: "n") }
}
