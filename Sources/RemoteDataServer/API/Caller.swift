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

    /// A revision as the caller is given it; of one that the caller sends, the table's own.
    ///
    /// Its epoch depends on what the caller may read: with other rights, also under the same name, the rows
    /// belong to another history, so that nothing is resumed that was read with the former ones.
    func exchanged(_ revision: Revision) -> Revision {
        guard let epoch = revision.epoch, let other = Epoch(rawValue: epoch.rawValue ^ rights) else {
            return revision
        }
        return Revision(revision.rawValue, epoch: other)
    }

    /// A row with such a revision.
    func exchanged(_ row: Row) -> Row {
        row.revision.map { Row(id: row.id, revision: exchanged($0), json: row.json) } ?? row
    }

    /// A number for what the caller may read, in every process the same: FNV-1a of the id and the roles.
    private var rights: UInt32 {
        guard let user else { return 0 }
        let roles = Set(user.roles.map { Array($0.utf8) }).sorted { $0.lexicographicallyPrecedes($1) }
        var hash: UInt32 = 0x811C_9DC5
        for name in [Array((user.id ?? "").utf8)] + roles {
            // No name has this byte.
            for byte in name + [0xFF] { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
        }
        return hash
    }

    /// What tables can do for the caller.
    var capabilities: Capabilities { user == nil ? .full : Capabilities.full.guarded }

    /// Refuses a guest who may only read.
    func checkWrite() throws(HTTPRefusal) {
        guard mayWrite else { throw Authorization.unauthorized }
    }
}
