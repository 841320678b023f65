import RemoteData

extension CollectionChange<LiveRow> {
    /// The change as one line of JSON.
    ///
    /// - Parameter shown: What is shown of a row.
    /// - Returns: The JSON, without a line break.
    func line(_ shown: (LiveRow) -> LiveRow) -> String {
        var members = [JSONMember(name: "type", value: .text("\(type)"))]
        members.append(JSONMember(name: "rows", value: .array(rows.map { shown($0).value })))
        members.append(JSONMember(name: "ids", value: .array(ids.map(\.json))))
        if type == .bulkDeleted {
            members.append(JSONMember(name: "count", value: .integer(Int64(max(removed.count, ids.count)))))
        }
        members.append(
            JSONMember(name: "revision", value: revision.map { .integer($0.rawValue) } ?? .null)
        )
        members.append(JSONMember(name: "own", value: .bool(isOwn)))
        return JSONValue.object(members).json
    }
}

extension RowID {
    fileprivate var json: JSONValue {
        switch self {
        case .text(let text): .text(text)
        case .integer(let integer): .integer(integer)
        }
    }
}
