public import RemoteData

extension TableServer {
    /// Who may ask a server, each by a token of their own, and see and change what the `ACL` of each row lets them.
    ///
    /// As JSON:
    /// `{"users":[{"id":"ann","token":"…","roles":["editors"]}],"guests":"read","newRows":"private"}`.
    public struct Users: Sendable {
        /// A user and the token they send.
        public struct Member: Sendable {
            /// The user with their roles.
            public let user: AccessUser
            /// What they send as `Authorization: Bearer <token>`.
            public let token: String

            /// Creates a member.
            public init(_ user: AccessUser, token: String) { (self.user, self.token) = (user, token) }
        }

        /// What those may do who send no token, besides what the rows' ACLs let everybody do.
        public enum Guests: String, Sendable, CaseIterable {
            /// Read and write, and make rows, which everybody may then read and write unless they come with an ACL.
            case write
            /// Only read.
            case read
            /// Nothing: they are answered with 401.
            case none
        }

        /// The users, no two with the same id or token.
        public let members: [Member]
        /// What those may do who send no token.
        public let guests: Guests
        /// The ACL of rows that users make without one.
        public let newRows: DefaultACL

        /// Names the users.
        ///
        /// - Parameters:
        ///   - members: The users.
        ///   - guests: What those may do who send no token.
        ///   - newRows: The ACL of rows that users make without one; everybody may read them and their maker write them unless said
        ///     otherwise.
        /// - Throws: ``TableServerError`` with code `configuration` that says which user, counted from 0, is wrong; tokens are not
        ///   told.
        public init(
            _ members: [Member],
            guests: Guests = .write,
            newRows: DefaultACL = .publicRead
        ) throws(TableServerError) {
            for (index, member) in members.enumerated() {
                guard !member.token.isEmpty, member.token.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
                else {
                    throw Self.wrong(index, "the token has to be one word of visible ASCII")
                }
                guard member.user.id != nil else { throw Self.wrong(index, "nobody has no token") }
                for (other, earlier) in members[..<index].enumerated() {
                    if earlier.token == member.token {
                        throw Self.wrong(index, "the token is that of users[\(other)]")
                    }
                    if earlier.user.hasID(of: member.user) {
                        throw Self.wrong(index, "the id is that of users[\(other)]")
                    }
                }
            }
            (self.members, self.guests, self.newRows) = (members, guests, newRows)
        }

        static func wrong(_ index: Int, _ what: String) -> TableServerError {
            TableServerError(.configuration, "users[\(index)]: \(what).")
        }
    }
}

extension AccessUser {
    /// Whether both have the same id, byte by byte.
    fileprivate func hasID(of other: AccessUser) -> Bool {
        guard let id, let otherID = other.id else { return false }
        return id.utf8.elementsEqual(otherID.utf8)
    }
}
