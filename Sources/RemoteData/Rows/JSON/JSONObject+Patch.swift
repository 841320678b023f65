extension JSONObject {
    /// The members of a patch, which may repeat the row's id but not change it.
    ///
    /// - Parameters:
    ///   - json: The patch.
    ///   - id: The row's id; nil for a patch of many rows, which has none.
    ///   - idColumn: The column of the id.
    /// - Returns: The members, the id left out.
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when it is no object or has another id.
    package static func patch(
        _ json: ArraySlice<UInt8>,
        of id: RowID?,
        idColumn: String
    ) throws(RemoteDataError) -> [Member] {
        let members = try members(of: json)
        for member in members where member.name.hasSameBytes(as: idColumn) {
            guard let id, Value(json: member.json) == id.value else {
                throw RemoteDataError(
                    .invalidRow,
                    "The id of a row cannot be changed; \(idColumn) must stay as it is."
                )
            }
        }
        return members.filter { !$0.name.hasSameBytes(as: idColumn) }
    }

    /// An object of members.
    package static func object(of members: [Member]) -> ArraySlice<UInt8> { joined(members) }
}

extension JSONObject.Member {
    /// Creates a member.
    package init(name: String, value: Value) { self.init(name: name, json: value.json[...]) }
}
