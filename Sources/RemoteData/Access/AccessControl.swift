/// Who asks, and what ACL new rows get: what makes a table an ``AccessTable``.
public struct AccessControl: Sendable {
    let user: @Sendable () async throws(RemoteDataError) -> AccessUser
    let newRows: DefaultACL
    /// Whether the user is always the same.
    let isFixed: Bool

    /// Names a user.
    ///
    /// - Parameters:
    ///   - user: Who asks.
    ///   - newRows: The ACL of new rows that come without one.
    public init(_ user: AccessUser, newRows: DefaultACL = .none) {
        self.user = { () throws(RemoteDataError) in user }
        self.newRows = newRows
        isFixed = true
    }

    /// Takes a closure that tells who asks, such as whoever is signed in, with the roles known by then.
    ///
    /// - Parameters:
    ///   - newRows: The ACL of new rows that come without one.
    ///   - user: Called at each call of a table and before each of its events is handed on; a failure is the call's. It should
    ///     know the answer, since all wait for it.
    public init(
        newRows: DefaultACL = .none,
        user: @escaping @Sendable () async throws(RemoteDataError) -> AccessUser
    ) {
        (self.user, self.newRows) = (user, newRows)
        isFixed = false
    }

    /// The rights of who asks now, to the rows of tables with this id column.
    package func rights(idColumn: String) async throws(RemoteDataError) -> RowAccess {
        RowAccess(try await user(), newRows: newRows, idColumn: idColumn)
    }
}
