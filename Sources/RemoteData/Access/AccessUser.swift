/// Who asks a table: a user by id, or nobody, and the roles known of them.
public struct AccessUser: Sendable {
    /// The user's id; nil for nobody, who may do what everybody may.
    public let id: String?
    /// The names of the roles known; one that is not known allows nothing.
    public let roles: [String]
    /// Whose rights these are: everybody, the user, the roles.
    let parties: [ACL.Party]

    /// Somebody who is not known.
    public static let nobody = AccessUser(id: nil, roles: [], parties: [.everybody])

    /// Names a user.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRequest` for what cannot be an id or the name of a role: see
    ///   ``ACL/Party/user(_:)``.
    public init(_ id: String, roles: some Sequence<String> = []) throws(RemoteDataError) {
        var parties: [ACL.Party] = [.everybody, try .user(id)]
        for role in roles {
            let party = try ACL.Party.role(role)
            if !parties.contains(party) { parties.append(party) }
        }
        self.init(id: id, roles: Array(roles), parties: parties)
    }

    private init(id: String?, roles: [String], parties: [ACL.Party]) {
        (self.id, self.roles, self.parties) = (id, roles, parties)
    }
}

extension AccessUser: Hashable {
    /// Whether both have the same rights everywhere: the same id and the same roles, byte by byte.
    public static func == (left: AccessUser, right: AccessUser) -> Bool {
        Set(left.parties) == Set(right.parties) && (left.id == nil) == (right.id == nil)
    }

    /// Hashes the id and the roles.
    public func hash(into hasher: inout Hasher) { hasher.combine(Set(parties)) }
}

extension AccessUser: CustomStringConvertible {
    /// The id.
    public var description: String { id ?? "nobody" }
}
