/// The ACL of new rows that come without one, when it is known who makes them.
public struct DefaultACL: Sendable, Hashable {
    private let acl: ACL?
    private let includesUser: Bool

    /// New rows get this ACL.
    ///
    /// - Parameters:
    ///   - acl: What is allowed.
    ///   - includesUser: Whether who makes the row may read and write it besides.
    public init(_ acl: ACL, andUser includesUser: Bool = true) {
        (self.acl, self.includesUser) = (acl, includesUser)
    }

    private init() { (acl, includesUser) = (nil, false) }

    /// New rows get none: everybody may read and write them.
    public static let none = DefaultACL()
    /// Who makes a row may read and write it, and nobody else.
    public static let `private` = DefaultACL(ACL())
    /// Everybody may read a row, and who made it may write it.
    public static let publicRead = DefaultACL(.public(read: true))

    /// The ACL of a row that somebody makes; nil for none, and always for nobody.
    func acl(for user: AccessUser) -> ACL? {
        guard let acl, let id = user.id else { return nil }
        guard includesUser, let party = try? ACL.Party.user(id) else { return acl }
        return acl.allowing(party, .all)
    }
}
