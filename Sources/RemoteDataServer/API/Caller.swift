import RemoteData

/// Who asks a server, and so what they see of its tables.
struct Caller: Sendable, Equatable {
    /// The user whose rights count; nil for whoever may see and change everything.
    let user: AccessUser?
    /// The ACL of rows made without one.
    let newRows: DefaultACL
    /// Whether anything may be written at all.
    let mayWrite: Bool

    /// Whether no token was sent where there are users.
    var isGuest: Bool { user.map { $0.id == nil } ?? false }

    /// Whoever may see and change everything.
    static let everything = Caller(user: nil, newRows: .none, mayWrite: true)

    /// A table as the caller sees it.
    func view(of table: any Table) -> any Table {
        user.map { AccessTable(table, user: $0, newRows: newRows) } ?? table
    }

    /// What tables can do for the caller.
    var capabilities: Capabilities { user == nil ? .full : Capabilities.full.guarded }

    /// Refuses a guest who may only read.
    func checkWrite() throws(HTTPRefusal) {
        guard mayWrite else { throw Authorization.unauthorized }
    }
}
