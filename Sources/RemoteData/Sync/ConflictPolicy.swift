/// Says which version of a row counts when it was changed here and on the server.
///
/// Which of two changes came first is told by the server's revisions, or by the rows themselves where there are none, and never
/// by a clock. Where the server does not let its version be read, nothing decides: the write is set aside,
/// with the code `conflict`.
public struct ConflictPolicy: Sendable {
    private let resolve: @Sendable (Conflict) throws(RemoteDataError) -> Conflict.Resolution

    private init(
        _ resolve: @escaping @Sendable (Conflict) throws(RemoteDataError) -> Conflict.Resolution
    ) {
        self.resolve = resolve
    }

    /// The server's version stays; what was written here is rejected, and told so.
    public static let serverWins = ConflictPolicy { _ in .theirs }

    /// The version written here takes the place of the server's.
    public static let clientWins = ConflictPolicy { _ in .mine }

    /// Columns that were changed on one side only are taken from that side.
    ///
    /// Of one changed on both, the server's value stays, and so does a removal on the server. A removal here of a row that was
    /// changed there is rejected.
    public static let merge = ConflictPolicy { (conflict) throws(RemoteDataError) in
        guard let mine = conflict.mine, let theirs = conflict.theirs else { return .theirs }
        let patch = try JSONObject.mergeable(
            mine.json,
            over: theirs.json,
            base: conflict.base?.json ?? Array("{}".utf8)[...]
        )
        return patch.isEmpty
            ? .theirs : .row(try JSONObject.merging(JSONObject.object(of: patch), into: theirs.json))
    }

    /// A closure decides.
    ///
    /// It is called while nothing is locked, on one of the library's threads, and should not take long.
    public static func custom(
        _ resolve: @escaping @Sendable (Conflict) -> Conflict.Resolution
    ) -> ConflictPolicy {
        ConflictPolicy { conflict in resolve(conflict) }
    }

    /// What becomes of a conflict.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` for a row that is no JSON object.
    package func resolution(of conflict: Conflict) throws(RemoteDataError) -> Conflict.Resolution {
        try resolve(conflict)
    }
}

extension JSONObject {
    /// The members of an object that differ from those of another one: what changes the one into the other.
    ///
    /// Members that are gone become null.
    package static func changes(
        from base: ArraySlice<UInt8>,
        to object: ArraySlice<UInt8>
    ) throws(RemoteDataError) -> [Member] {
        let known = try values(of: base)
        var changes = try members(of: object).filter { known[$0.name] != value(of: $0.json) }
        let names = Set(try members(of: object).map(\.name))
        for member in try members(of: base) where !names.contains(member.name) {
            if value(of: member.json) != .null { changes.append(Member(name: member.name, value: .null)) }
        }
        return changes
    }

    /// The members changed in one version and left as they were in the other.
    fileprivate static func mergeable(
        _ mine: ArraySlice<UInt8>,
        over theirs: ArraySlice<UInt8>,
        base: ArraySlice<UInt8>
    ) throws(RemoteDataError) -> [Member] {
        let (before, now) = (try values(of: base), try values(of: theirs))
        return try changes(from: base, to: mine)
            .filter { member in
                let (old, new) = (before[member.name] ?? .null, now[member.name] ?? .null)
                return old == new && new != value(of: member.json)
            }
    }

    private static func values(of object: ArraySlice<UInt8>) throws(RemoteDataError) -> [String: Value] {
        Dictionary(try members(of: object).map { ($0.name, value(of: $0.json)) }) { _, last in last }
    }
}
