/// Who may read and write a row: everybody, users by their ids, and roles.
///
/// In a row it is the column ``column``, in the form that Parse uses:
/// `{"*":{"read":true},"ann":{"read":true,"write":true},"role:editors":{"write":true}}`. A row without one, or with null,
/// may be read and written by everybody; ``AccessTable`` is what keeps to it.
///
/// ```swift
/// var acl = try ACL.private(to: "ann")
/// try acl.allow(.role("editors"), .read)
/// ```
public struct ACL: Hashable, Sendable {
    /// The column of a row that holds its ACL.
    public static let column = "ACL"

    private var grants: [Party: Rights] = [:]

    /// Allows nothing to anybody.
    public init() {}

    /// Allows everybody to read or write, or both.
    public static func `public`(read: Bool = true, write: Bool = false) -> ACL {
        ACL().allowing(.everybody, Rights(read: read, write: write))
    }

    /// Allows one user alone to read and write.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRequest` for what cannot be a user's id; see ``Party/user(_:)``.
    public static func `private`(to user: String) throws(RemoteDataError) -> ACL {
        ACL().allowing(try .user(user), .all)
    }

    /// Those to whom anything is allowed, sorted by their names on the wire; O(n log n).
    public var parties: [Party] {
        grants.keys.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
    }

    /// What is allowed to a party by its name, and not because it is one of everybody.
    public func rights(of party: Party) -> Rights { grants[party] ?? [] }

    /// What is allowed to a user in all: as one of everybody, by id, and by roles.
    ///
    /// To write a row, a user has to be allowed to read it too.
    /// - Complexity: O(roles).
    public func rights(of user: AccessUser) -> Rights {
        user.parties.reduce(into: []) { $0.formUnion(rights(of: $1)) }
    }

    /// Allows something, besides what is allowed already.
    public mutating func allow(_ party: Party, _ rights: Rights) {
        let rights = rights.union(self.rights(of: party))
        grants[party] = rights.isEmpty ? nil : rights
    }

    /// Allows something no longer to a party by its name; it may still be allowed by another one.
    public mutating func disallow(_ party: Party, _ rights: Rights) {
        let rights = self.rights(of: party).subtracting(rights)
        grants[party] = rights.isEmpty ? nil : rights
    }

    /// The same with something more allowed.
    public func allowing(_ party: Party, _ rights: Rights) -> ACL {
        var acl = self
        acl.allow(party, rights)
        return acl
    }
}

extension ACL {
    /// What can be allowed.
    public struct Rights: OptionSet, Hashable, Sendable {
        /// One bit for each right.
        public let rawValue: Int

        /// Takes the bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        init(read: Bool, write: Bool) {
            self = (read ? Rights.read : []).union(write ? .write : [])
        }

        /// To see the row.
        public static let read = Rights(rawValue: 1)
        /// To change and remove the row, its ACL included.
        public static let write = Rights(rawValue: 2)
        /// Both.
        public static let all: Rights = [.read, .write]
    }

    /// Somebody to whom something can be allowed.
    ///
    /// Two are the same when their names are the same bytes.
    public struct Party: Hashable, Sendable, CustomStringConvertible {
        /// The name on the wire: `*`, a user's id, or `role:` and a role's name.
        public let name: String

        /// Everybody, known or not.
        public static let everybody = Party(name: "*")

        /// The user with an id, which may be any text but those that stand for others.
        ///
        /// - Throws: ``RemoteDataError`` with code `invalidRequest` when it is empty, `*`, or begins with `role:`.
        public static func user(_ id: String) throws(RemoteDataError) -> Party {
            guard !id.isEmpty, id != "*", !id.utf8.starts(with: rolePrefix.utf8) else {
                throw RemoteDataError(
                    .invalidRequest,
                    "A user's id is not empty, not \"*\", and does not begin with \"role:\"."
                )
            }
            return Party(name: id)
        }

        /// All who have a role.
        ///
        /// - Throws: ``RemoteDataError`` with code `invalidRequest` when the name is empty.
        public static func role(_ name: String) throws(RemoteDataError) -> Party {
            guard !name.isEmpty else {
                throw RemoteDataError(.invalidRequest, "The name of a role is not empty.")
            }
            return Party(name: rolePrefix + name)
        }

        private static let rolePrefix = "role:"

        /// Takes a name as it is on the wire.
        init(name: String) { self.name = name }

        /// Whether both names are the same bytes.
        public static func == (left: Party, right: Party) -> Bool { left.name.hasSameBytes(as: right.name) }

        /// Hashes the name.
        public func hash(into hasher: inout Hasher) { hasher.combine(name) }

        /// The name on the wire.
        public var description: String { name }
    }
}
