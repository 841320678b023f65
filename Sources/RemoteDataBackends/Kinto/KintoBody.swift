import RemoteData

/// Rows and patches as Kinto takes them.
///
/// Nulls are left out, at any depth of objects: Kinto sorts a null in front of everything and what is missing behind it. The
/// time of the last change is left out too: Kinto would believe it.
struct KintoBody: Sendable, Equatable {
    let json: [UInt8]
    /// The type of the content.
    var type = "application/json"

    /// A whole row.
    ///
    /// - Throws: `RemoteDataError` with code `invalidRow` for what Kinto cannot hold, or would take for something else.
    init(row: ArraySlice<UInt8>) throws(RemoteDataError) {
        let members = try Self.checked(try JSONObject.members(of: row))
        var body = JSONBody()
        body.member("data", json: Array(JSONObject.object(of: Self.withoutNulls(members))))
        json = body.closed
    }

    /// Changes of a row, each of which takes the place of a whole member.
    ///
    /// A null removes its member. Kinto's own way of saying that (`merge-patch+json`) would merge objects as well; a list of
    /// operations (RFC 6902) does not.
    /// - Throws: `RemoteDataError` with code `invalidRow` for what Kinto cannot hold, or would take for something else.
    init(patch: [JSONObject.Member]) throws(RemoteDataError) {
        let members = try Self.checked(patch)
        guard members.contains(where: { Value(json: $0.json) == .null }) else {
            var body = JSONBody()
            body.member("data", json: Array(JSONObject.object(of: Self.withoutNulls(members))))
            json = body.closed
            return
        }
        json = JSONBody.array(members.flatMap { Self.operations($0).map { $0[...] } })
        type = "application/json-patch+json"
    }

    private static func operations(_ member: JSONObject.Member) -> [[UInt8]] {
        var body = JSONBody()
        let path = "/data/" + pointer(member.name)
        body.member("op", "add")
        body.member("path", path)
        body.member("value", json: Array(withoutNulls(member.json)))
        guard Value(json: member.json) == .null else { return [body.closed] }
        // Only what is there can be removed.
        var removal = JSONBody()
        removal.member("op", "remove")
        removal.member("path", path)
        return [body.closed, removal.closed]
    }

    /// A name in a path (RFC 6901).
    private static func pointer(_ name: String) -> String {
        var pointer = String.UnicodeScalarView()
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": pointer.append(contentsOf: "~0".unicodeScalars)
            case "/": pointer.append(contentsOf: "~1".unicodeScalars)
            default: pointer.append(scalar)
            }
        }
        return String(pointer)
    }
}

// MARK: - What is left out and refused

extension KintoBody {
    private static func checked(_ members: [JSONObject.Member]) throws(RemoteDataError) -> [JSONObject.Member]
    {
        for member in members {
            switch member.name {
            case "__permissions__": throw refused("A row of Kinto cannot have a column \(member.name).")
            case "deleted" where Value(json: member.json) == .bool(true):
                throw refused(
                    "Kinto marks removed rows as \"deleted\", so that no other row can be true in a column of that name."
                )
            default: break
            }
            guard !member.name.unicodeScalars.contains("\u{0}"), !holdsNUL(member.json) else {
                throw refused(
                    "Text with the character U+0000 cannot be stored by Kinto (in a column of the row)."
                )
            }
        }
        return members.filter { $0.name != "last_modified" }
    }

    private static func refused(_ message: String) -> RemoteDataError {
        RemoteDataError(.invalidRow, message)
    }

    /// Whether JSON has an escaped NUL in it, the only way to have one.
    private static func holdsNUL(_ json: ArraySlice<UInt8>) -> Bool {
        var rest = json
        while let mark = rest.firstIndex(of: UInt8(ascii: "\\")) {
            let escape = rest[rest.index(after: mark)...]
            if escape.starts(with: "u0000".utf8) { return true }
            rest = escape.dropFirst()
        }
        return false
    }

    private static func withoutNulls(_ members: [JSONObject.Member]) -> [JSONObject.Member] {
        members.compactMap { member in
            guard Value(json: member.json) != .null else { return nil }
            var member = member
            member.json = withoutNulls(member.json)
            return member
        }
    }

    private static func withoutNulls(_ json: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        guard json.first == UInt8(ascii: "{"), let members = try? JSONObject.members(of: json) else {
            return json
        }
        return JSONObject.object(of: withoutNulls(members))
    }
}
