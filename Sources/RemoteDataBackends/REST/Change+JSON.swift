import RemoteData

extension Change {
    /// Reads a change as a frame or the change log holds it; nil when it is not one.
    ///
    /// The row shares the bytes. Members that are not known are passed over.
    init?(json: ArraySlice<UInt8>, idColumn: String) {
        guard let members = try? JSONObject.members(of: json) else { return nil }
        self.init(members, idColumn: idColumn)
    }

    /// Reads a change from the members of its object.
    init?(_ members: [JSONObject.Member], idColumn: String) {
        var kind: ChangeKind?
        var revision: Revision?
        var (id, row, key): (RowID?, ArraySlice<UInt8>?, Key?)
        var (left, predicate, count): (Bool, Where?, Int?) = (false, nil, nil)
        var (idempotencyKey, formerID): (String?, RowID?)
        for member in members {
            switch (member.name, Self.value(member.name, member.json)) {
            case (_, .null?): break
            case ("revision", .integer(let number)?): revision = Revision(number)
            case ("kind", .text(let word)?): kind = ChangeKind(rawValue: word)
            case ("row", nil): row = member.json
            case ("objectId", let value?):
                guard let named = RowID(value) else { return nil }
                id = named
            case ("formerId", let value?):
                guard let named = RowID(value) else { return nil }
                formerID = named
            case ("previousKey", nil):
                guard let read = Key(json: member.json) else { return nil }
                key = read
            case ("left", .bool(let isLeft)?): left = isLeft
            case ("where", .text(let clause)?):
                guard let read = try? Where.parse(clause) else { return nil }
                predicate = read
            case ("count", .integer(let number)?) where number >= 0: count = Int(number)
            case ("idempotencyKey", .text(let text)?): idempotencyKey = text
            case ("revision", _), ("kind", _), ("left", _), ("where", _), ("count", _): return nil
            default: break
            }
        }
        guard let kind else { return nil }
        let parsed = try? row.map { json throws(RemoteDataError) in
            try Row.parse(json, idColumn: idColumn, revision: revision)
        }
        if row != nil, parsed == nil { return nil }
        guard Self.isComplete(kind, row: parsed, id: id) else { return nil }
        self.init(
            revision: revision,
            kind: kind,
            id: id,
            row: parsed,
            left: left,
            previousKey: key,
            predicate: predicate,
            count: count,
            idempotencyKey: idempotencyKey,
            formerID: kind == .updated && formerID != parsed?.id ? formerID : nil
        )
    }

    /// The value of a member; nil for what stays JSON.
    private static func value(_ name: String, _ json: ArraySlice<UInt8>) -> Value? {
        name == "row" || name == "previousKey"
            ? json.first == UInt8(ascii: "n") ? .null : nil : Value(json: json)
    }

    private static func isComplete(_ kind: ChangeKind, row: Row?, id: RowID?) -> Bool {
        switch kind {
        case .created, .updated: row != nil
        case .deleted: id != nil
        default: true
        }
    }
}

extension Key {
    /// Reads a key of any sort order; nil when it is none.
    fileprivate init?(json: ArraySlice<UInt8>) {
        guard let count = try? JSONObject.elements(of: json).count, count > 0 else { return nil }
        do throws(RemoteDataError) { try self.init(json: json, termCount: count - 1) } catch { return nil }
    }
}

extension Revision {
    /// Reads digits, as in a header.
    init?(decimal text: String) {
        guard let number = Int64(text), number >= 0 else { return nil }
        self.init(number)
    }

    /// Reads an entity tag of the native protocol.
    init?(etag: String) {
        guard etag.count > 2, etag.first == "\"", etag.last == "\"" else { return nil }
        self.init(decimal: String(etag.dropFirst().dropLast()))
    }

    /// Reads a JSON integer.
    init?(json: ArraySlice<UInt8>) {
        guard case .integer(let number)? = Value(json: json), number >= 0 else { return nil }
        self.init(number)
    }
}
