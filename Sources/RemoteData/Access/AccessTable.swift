/// A table as one user may see and change it, by the ``ACL`` of each row.
///
/// What may be read is a clause, which is added to every query and every subscription, and decides again inside every write.
/// A row that may not be read looks as if it were not there: it is on no page, in no count, in no event and no error, and one
/// that is withdrawn is `deleted` like any other. What ids are taken cannot be hidden from whoever creates a row under one.
///
/// - Reading needs `read`. Changing and removing need `read` and `write`: a row that may not be read is `notFound`, one that
///   may be read and not written is `forbidden`. By clause, only rows that may be written are changed or removed.
/// - A row that is created without an ACL, or with null, gets the one of ``AccessControl``. One that replaces another (`upsert`)
///   without one keeps that of the other. The ACL is changed like any column; an odd one is refused with `invalidRow`.
/// - Columns are not checked, since a refusal would tell of rows that may not be seen: an unknown one is null.
/// - Answers to repeated writes and the keys in events are each user's own.
///
/// `MemoryTable` and the tables of SQLite check inside each write, and their change log is filtered. With any other table a row is
/// read and then written on condition of its revision, again and again while others change it, which needs
/// ``Capabilities/conditionalWrites``; there is no resuming then, no key for writes other than creations, one row at a time is
/// replaced, and no feed where ``Capabilities/reportsEntering`` is not.
public struct AccessTable: WrappingTable {
    /// The table's name.
    public var name: String { base.name }
    /// The column that holds a row's id.
    public var idColumn: String { base.idColumn }
    /// How dates are written in rows.
    public var dates: DateConvention { base.dates }
    /// What the table can do: what the one behind can, but for what would tell of rows that may not be seen.
    public var capabilities: Capabilities {
        Self.isGuarded(base) ? base.capabilities.guarded : base.capabilities.checked
    }

    /// The table without control, as ``ignoringACLs()`` returns it.
    public var wrapped: any Table { base }

    private let base: any Table
    private let control: AccessControl

    /// Controls who may see and change what.
    ///
    /// - Parameters:
    ///   - base: The table.
    ///   - control: Who asks, and what ACL new rows get.
    public init(_ base: any Table, _ control: AccessControl) {
        (self.base, self.control) = (base, control)
    }

    /// Lets one user see and change what they may.
    ///
    /// - Parameters:
    ///   - base: The table.
    ///   - user: Who asks.
    ///   - newRows: The ACL of new rows that come without one.
    public init(_ base: any Table, user: AccessUser, newRows: DefaultACL = .none) {
        self.init(base, AccessControl(user, newRows: newRows))
    }

    /// The table without control, for code that may see everything.
    public func ignoringACLs() -> any Table { base }

    /// Whether the table finds exactly the rows for which a clause is true and that may be read.
    public func canFilterList(_ clause: Where) -> Bool { base.canFilterList(anybody.narrowed(clause)) }

    /// Whether a subscription with a clause is sent what concerns it alone.
    public func canFilterLive(_ clause: Where) -> Bool { base.canFilterLive(anybody.narrowed(clause)) }

    /// How many rows of the query may be read.
    ///
    /// - Complexity: O(rows) in a table of this package; otherwise what the table needs for a clause.
    public func count(_ query: Query) async throws(RemoteDataError) -> Count {
        try await view().count(query)
    }

    /// A page of what may be read of a query.
    public func page(_ request: PageRequest) async throws(RemoteDataError) -> Page {
        try await view().page(request)
    }

    /// The row with an id; nil when there is none, or none that may be read.
    public func row(_ id: RowID) async throws(RemoteDataError) -> Row? { try await view().row(id) }

    /// Makes a change, all of it or nothing, if it is allowed.
    ///
    /// - Throws: ``RemoteDataError``: `forbidden` for a row that may not be written, `notFound` for one that may not be read,
    ///   `invalidRow` for an odd ACL.
    public func commit(
        _ mutation: Mutation,
        idempotencyKey: String?
    ) async throws(RemoteDataError) -> Outcome {
        try await view().commit(mutation, idempotencyKey: idempotencyKey)
    }

    /// What may be seen of the changes after a revision.
    ///
    /// - Throws: ``RemoteDataError`` with code `gone` also where it is not known what of a removal by clause may be seen.
    public func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch {
        try await view().changes(since: revision, limit: limit)
    }

    /// Starts delivering what may be seen of the changes of a query.
    ///
    /// When a closure tells another user or other roles than before, the feed goes on with those behind a `reset`.
    public func subscribe(
        to query: Query,
        since revision: Revision?
    ) async throws(RemoteDataError) -> ChangeFeed {
        let user = try await control.user()
        let feed = try await view(user).subscribe(to: query, since: revision)
        if control.isFixed { return feed }
        return AccessFeed(table: self, query: query).start(feed, as: user)
    }

    /// Who asks now.
    func user() async throws(RemoteDataError) -> AccessUser { try await control.user() }

    /// The table as somebody may see and change it.
    func view(_ user: AccessUser) -> any Table {
        Self.view(of: base, RowAccess(user, newRows: control.newRows, idColumn: base.idColumn))
    }

    /// A table by somebody's rights, which count in the tables of sub-queries as well.
    private static func view(of table: any Table, _ access: RowAccess) -> any Table {
        switch table {
        case let table as any GuardedTable: table.guarded(by: access)
        case let table as SubQueryTable:
            SubQueryTable(view(of: table.base, access)) { (name, creating) throws(RemoteDataError) in
                try await table.lookUp(name, creating).map { view(of: $0, access) }
            }
        default: CheckedTable(base: table, access: access)
        }
    }

    private static func isGuarded(_ table: any Table) -> Bool {
        if let table = table as? SubQueryTable { return isGuarded(table.base) }
        return table is any GuardedTable
    }

    func view() async throws(RemoteDataError) -> any Table { view(try await control.user()) }

    private var anybody: RowAccess { RowAccess(.nobody, newRows: .none, idColumn: base.idColumn) }
}

extension Capabilities {
    /// What is left where only a part of the rows may be seen.
    package var guarded: Capabilities {
        var left = self
        // To refuse a column tells that no row has it, and not to refuse it that one does.
        left.checksColumns = false
        return left
    }

    /// What is left where rights are checked from outside.
    var checked: Capabilities {
        var left = guarded
        left.resume = false
        left.idempotency = false
        left.maximumBulkSize = min(1, maximumBulkSize)
        // Who does not know what rows were before tells of every row.
        left.liveChanges = liveChanges && reportsEntering
        // Whose clause a removal by clause was is not known, so what it removed is to be found out.
        left.everyChange = false
        return left
    }
}
