import RemoteData

/// The members that a frame or an entry of the change log may have, in the order that they mostly come in.
enum ChangeMember: Int, CaseIterable {
    case type, id, revision, after, kind, row, previousKey, idempotencyKey, objectId, formerID, left, clause,
        count, epoch

    fileprivate static let names = JSONMembers.Names(allCases.map(\.name))

    private var name: String {
        switch self {
        case .formerID: "formerId"
        case .clause: "where"
        default: "\(self)"
        }
    }
}

extension JSONMembers {
    /// Looks for the members of a change.
    init(
        ofChange memory: [UInt8],
        _ part: Range<Int>,
        _ row: inout LikelyRow
    ) throws(RemoteDataError) {
        try self.init(ChangeMember.names, of: memory, part, row: ChangeMember.row.rawValue, &row)
    }

    /// A member's value; nil where it is not there, or null.
    subscript(member: ChangeMember) -> Value? { self[member.rawValue] }

    /// A member's text; nil where it is not there, or null.
    subscript(json member: ChangeMember) -> ArraySlice<UInt8>? { self[json: member.rawValue] }
}

extension Change {
    /// Reads a change as the change log holds it; nil when it is not one.
    ///
    /// The row shares the bytes where they are all of an array. Members that are not known are passed over.
    /// The epoch is sent once for many.
    init?(json: ArraySlice<UInt8>, _ row: inout LikelyRow, _ epoch: Epoch?) {
        // Not copied where it is all of an array.
        let json = Array(json)
        guard let members = try? JSONMembers(ofChange: json, json.indices, &row) else { return nil }
        self.init(members, epoch)
    }

    /// Reads a change from the members of its object.
    init?(_ members: borrowing JSONMembers, _ epoch: Epoch?) {
        guard case .text(let word)? = members[.kind] else { return nil }
        let kind = ChangeKind(rawValue: word)
        var revision: Revision?
        switch members[.revision] {
        case nil: break
        case .integer(let number)?: revision = Revision(number, epoch: epoch)
        default: return nil
        }
        var row: Row?
        if members[json: .row] != nil {
            guard let read = members.row(ChangeMember.row.rawValue, revision: revision) else { return nil }
            row = read
        }
        var key: UnreadKey?
        if let json = members[json: .previousKey] {
            guard let read = UnreadKey(json: json) else { return nil }
            key = read
        }
        guard let rest = ChangeDetails(members) else { return nil }
        guard Self.isComplete(kind, row: row, id: rest.id) else { return nil }
        self.init(
            revision: revision,
            kind: kind,
            id: rest.id,
            row: row,
            left: rest.left,
            previousKey: key,
            predicate: rest.predicate,
            count: rest.count,
            idempotencyKey: rest.idempotencyKey,
            formerID: rest.formerID.flatMap { kind == .updated && $0 != row?.id ? $0 : nil }
        )
    }

    private static func isComplete(_ kind: ChangeKind, row: Row?, id: RowID?) -> Bool {
        switch kind {
        case .created, .updated: row != nil
        case .deleted: id != nil
        default: true
        }
    }
}

/// What only some changes tell.
private struct ChangeDetails {
    var id: RowID?
    var formerID: RowID?
    var left = false
    var predicate: Where?
    var count: Int?
    var idempotencyKey: String?

    /// Reads it; nil when it makes no sense.
    init?(_ members: borrowing JSONMembers) {
        if let value = members[.objectId] {
            guard let named = RowID(value) else { return nil }
            id = named
        }
        if let value = members[.formerID] {
            guard let named = RowID(value) else { return nil }
            formerID = named
        }
        if let value = members[.left] {
            guard case .bool(let isLeft) = value else { return nil }
            left = isLeft
        }
        if let value = members[.clause] {
            guard case .text(let clause) = value, let read = try? Where.parse(clause) else { return nil }
            predicate = read
        }
        if let value = members[.count] {
            guard case .integer(let number) = value, number >= 0 else { return nil }
            count = Int(number)
        }
        if case .text(let text)? = members[.idempotencyKey] { idempotencyKey = text }
    }
}

extension Revision {
    /// Reads an entity tag of the native protocol, or of Kinto.
    ///
    /// A proxy that compresses an answer makes its tag a weak one (nginx: `W/"17"`), or another one (Apache:
    /// `"17-gzip"`).
    init?(etag: String) {
        let tag = etag.hasPrefix("W/") ? etag.dropFirst(2) : etag[...]
        guard tag.count > 2, tag.first == "\"", tag.last == "\"" else { return nil }
        let text = tag.dropFirst().dropLast()
        self.init(tag: text.hasSuffix("-gzip") ? text.dropLast(5) : text)
    }

    /// Reads a JSON integer, of an epoch.
    init?(json: ArraySlice<UInt8>, epoch: Epoch?) {
        guard case .integer(let number)? = Value(json: json), number >= 0 else { return nil }
        self.init(number, epoch: epoch)
    }
}
