import RemoteData

// Users as JSON.
extension TableServer.Users {
    /// Reads users from JSON: an object with `users`, and, where wanted, `guests` (`write`, `read` or `none`) and `newRows`
    /// (`private`, `read` or `write`: what others may do with rows that come without an ACL).
    ///
    /// - Throws: ``TableServerError`` with code `configuration` that says which entry is wrong, and what; tokens are not told.
    public init(json: [UInt8]) throws(TableServerError) {
        let file = try Self.object(json[...], "The file", known: ["users", "guests", "newRows"])
        guard let list = file["users"], let entries = try? JSONObject.elements(of: list) else {
            throw TableServerError(.configuration, "\"users\" has to be a list of users.")
        }
        var members: [Member] = []
        for (index, entry) in entries.enumerated() { members.append(try Self.member(entry, index)) }
        let guests = try Self.word(file, "guests", of: ["write": Guests.write, "read": .read, "none": .none])
        let newRows = try Self.word(
            file,
            "newRows",
            of: ["private": DefaultACL.private, "read": .publicRead, "write": DefaultACL.none]
        )
        try self.init(members, guests: guests ?? .write, newRows: newRows ?? .publicRead)
    }

    private static func member(_ json: ArraySlice<UInt8>, _ index: Int) throws(TableServerError) -> Member {
        let entry = try object(json, "users[\(index)]", known: ["id", "token", "roles"])
        guard case .text(let id)? = entry["id"].map({ Value(json: $0) ?? .null }) else {
            throw wrong(index, "the \"id\" is missing, or no text")
        }
        guard case .text(let token)? = entry["token"].map({ Value(json: $0) ?? .null }) else {
            throw wrong(index, "the \"token\" is missing, or no text")
        }
        var roles: [String] = []
        if let list = entry["roles"] {
            guard let elements = try? JSONObject.elements(of: list) else {
                throw wrong(index, "\"roles\" has to be a list of names")
            }
            for element in elements {
                guard case .text(let role) = Value(json: element) ?? .null else {
                    throw wrong(index, "a role is no text")
                }
                roles.append(role)
            }
        }
        do throws(RemoteDataError) {
            return Member(try AccessUser(id, roles: roles), token: token)
        } catch {
            throw TableServerError(.configuration, "users[\(index)]: \(error.message)")
        }
    }

    /// One of some words; nil where there is none.
    private static func word<Meaning>(
        _ file: [String: ArraySlice<UInt8>],
        _ name: String,
        of words: [String: Meaning]
    ) throws(TableServerError) -> Meaning? {
        guard let json = file[name] else { return nil }
        if case .text(let word)? = Value(json: json), let meaning = words[word] { return meaning }
        let known = words.keys.sorted().map { "\"\($0)\"" }.joined(separator: ", ")
        throw TableServerError(.configuration, "\"\(name)\" has to be one of \(known).")
    }

    /// The members of an object, of which each is known and there once.
    private static func object(
        _ json: ArraySlice<UInt8>,
        _ place: String,
        known: Set<String>
    ) throws(TableServerError) -> [String: ArraySlice<UInt8>] {
        var members: [String: ArraySlice<UInt8>] = [:]
        do throws(RemoteDataError) {
            for member in try JSONObject.members(of: json) {
                guard known.contains(member.name),
                    members.updateValue(member.json, forKey: member.name) == nil
                else {
                    let names = known.sorted().joined(separator: ", ")
                    throw RemoteDataError(
                        .invalidRow,
                        "There is a member \"\(member.name.prefix(40))\" too many; it has \(names), each once."
                    )
                }
            }
        } catch { throw TableServerError(.configuration, "\(place): \(error.message)") }
        return members
    }
}
