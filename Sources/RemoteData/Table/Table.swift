/// Anything that holds rows: a server's table, a file's, one in memory.
///
/// Every call is `async` and never blocks the caller's thread. Every call throws ``RemoteDataError``; a clause or
/// sort that names a column the table has never had is refused with `unknownColumn` unless the table is empty.
/// `checkTable` in `RemoteDataTesting` states the whole contract as a test.
public protocol Table: Sendable {
    /// The table's name.
    var name: String { get }
    /// The column that holds a row's id.
    var idColumn: String { get }
    /// How dates are written in rows.
    var dates: DateConvention { get }
    /// What the table can do.
    var capabilities: Capabilities { get }

    /// Whether the table finds exactly the rows for which a clause is true, without reading others; see ``Count/isExact``.
    func canFilterList(_ clause: Where) -> Bool

    /// Whether a subscription with a clause is sent what concerns it alone, rather than every change of the table.
    func canFilterLive(_ clause: Where) -> Bool

    /// How many rows the query has.
    ///
    /// The sort changes nothing about the number, but a column it names has to be one of the table's: so whoever
    /// starts with a count is told of a mistyped query at once.
    func count(_ query: Query) async throws(RemoteDataError) -> Count

    /// A page of a query.
    func page(_ request: PageRequest) async throws(RemoteDataError) -> Page

    /// The row with an id, its revision included where the table has them; nil when there is none.
    func row(_ id: RowID) async throws(RemoteDataError) -> Row?

    /// Makes a change, all of it or nothing.
    ///
    /// - Parameters:
    ///   - mutation: The change; one that depends on a revision of another epoch is refused with `conflict`.
    ///   - idempotencyKey: A key unique to this write; a table that declares idempotency applies the write once
    ///     however often it is sent, and answers the same. The key of another write is refused with
    ///     `invalidRequest`; a table that adds something to a write has to add the same to its repeat.
    /// - Returns: What was done.
    /// - Throws: ``RemoteDataError`` when it was refused, and then nothing was done.
    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome

    /// The changes after a revision in the order they were made, at most `limit`.
    ///
    /// Not filtered: every change of the table. Throws `gone` when the log no longer reaches back that far,
    /// for a revision that has not been reached yet, and for one of another epoch.
    func changes(since revision: Revision, limit: Int) async throws(RemoteDataError) -> ChangeBatch

    /// Starts delivering changes of a query.
    ///
    /// The feed begins with ``ChangeEvent/live(_:)``, of the revision `since` where that is given, and what changed after
    /// it follows. When the log does not reach back, or the revision belongs to another epoch, it begins with
    /// ``ChangeEvent/reset``, once, and `live` comes after that, of the table's own epoch.
    /// It goes on until it is cancelled or released.
    ///
    /// A table that has to ask a server may return before it has an answer. When the subscription is then refused, the
    /// feed says ``ChangeEvent/interrupted(_:)`` with an error that is not transient, and ends. A collection
    /// subscribes again within a minute.
    func subscribe(to query: Query, since revision: Revision?) async throws(RemoteDataError) -> ChangeFeed

    /// Makes an id that a row may have which is created before the table is asked, such as offline.
    ///
    /// Never blocks, never asks the server.
    ///
    /// - Returns: The id, another one each time; nil where any text will do, such as a UUID.
    func makeRowID() -> RowID?

    /// Ends the waits between attempts to reach a server, so that each of them is made at once.
    ///
    /// Never blocks. Does nothing unless a table implements it; a ``WrappingTable`` passes it on.
    func reconnect()
}

extension Table {
    /// Does nothing, as for a table without a server.
    public func reconnect() {}

    /// Makes none, as for a table that takes any text for an id.
    public func makeRowID() -> RowID? { nil }

    /// Whether counts are exact for every clause.
    public func canFilterList(_ clause: Where) -> Bool { capabilities.exactCounts }

    /// Whether a subscription knows what rows were.
    public func canFilterLive(_ clause: Where) -> Bool { capabilities.reportsEntering }

    /// How many rows match; all for nil.
    public func count(_ filter: Where?) async throws(RemoteDataError) -> Count {
        try await count(Query(filter))
    }

    /// Makes a change without an idempotency key.
    public func commit(_ mutation: Mutation) async throws(RemoteDataError) -> Outcome {
        try await commit(mutation, idempotencyKey: nil)
    }
}
