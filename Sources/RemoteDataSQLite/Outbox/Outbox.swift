public import RemoteData

/// The writes of a store that its server has not agreed to yet, in the file with the rows: what is accepted is neither lost nor
/// made twice, whatever becomes of the network, the server and the program.
///
/// Writes of a row, and of rows that belong to it, go one after another; others beside each other. What fails for a reason that may
/// pass is tried again for as long as it takes. What the server refuses is kept, with its answer, until somebody decides.
public struct Outbox: Sendable {
    let core: OutboxCore

    /// Starts to send what is here, and what will be, to a server's tables.
    ///
    /// Never blocks. Writes of tables that there are none for wait. Called again, it is another server from then on.
    ///
    /// - Parameters:
    ///   - options: How.
    ///   - remote: The server's table of a name; nil for those that are not to be sent.
    public func connect(
        _ options: OutboxOptions = OutboxOptions(),
        to remote: @escaping @Sendable (String) -> (any Table)?
    ) {
        core.connect(options, remote)
    }

    /// Sends nothing more; what is under way ends first.
    public func disconnect() async { await core.disconnect() }

    /// Sends nothing until ``resume()``; what is under way ends.
    public func pause() { core.setPaused(true) }

    /// Sends again.
    public func resume() { core.setPaused(false) }

    /// Tells what is known of the network: without one nothing is tried, and when it is back everything is at once.
    ///
    /// A wait that the server has asked for (`Retry-After`) is kept.
    ///
    /// Where nobody tells, requests find out.
    public func networkIs(available: Bool) { core.setOffline(!available) }

    // MARK: Looking

    /// How many writes the server has not agreed to, those not counted that it has refused.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public var pendingCount: Int {
        get async throws(RemoteDataError) { try await core.count("state < 2") }
    }

    /// The writes that wait or are under way, the oldest first, at most so many.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public func pending(limit: Int = 1_000) async throws(RemoteDataError) -> [OutboxItem] {
        try await core.items("state < 2", limit: limit)
    }

    /// The writes that the server has refused and nobody has decided about, the oldest first, at most so many.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public func deadLetters(limit: Int = 1_000) async throws(RemoteDataError) -> [OutboxItem] {
        try await core.items("state = 2", limit: limit)
    }

    /// The writes that were given up, because another version won or somebody discarded them, the latest first; the last 10,000 are
    /// remembered.
    ///
    /// - Throws: `RemoteDataError` with code `storage`.
    public func rejected(limit: Int = 1_000) async throws(RemoteDataError) -> [OutboxItem] {
        try await core.items("state = 3", order: "outbox.number DESC", limit: limit)
    }

    /// The write of a number, as one that was accepted before a restart.
    public func write(_ number: Int64) -> SyncedWrite {
        SyncedWrite(outcome: Outcome(count: 1), numbers: [number], outbox: core)
    }

    // MARK: Deciding

    /// Sends a write again that the server has refused.
    ///
    /// - Throws: `RemoteDataError`: `notFound` when there is no such write, `storage`.
    public func retry(_ number: Int64) async throws(RemoteDataError) {
        try await core.change { (transaction) throws(RemoteDataError) in try transaction.retry(number) }
    }

    /// Changes a write that the server has refused, and sends it again.
    ///
    /// - Parameters:
    ///   - number: The write.
    ///   - json: What takes the place of ``OutboxItem/json``: a row with the same id, or the columns of an update.
    /// - Throws: `RemoteDataError`: `notFound` when there is no such write, `invalidRow`, `storage`.
    public func edit(_ number: Int64, json: ArraySlice<UInt8>) async throws(RemoteDataError) {
        try await core.change { (transaction) throws(RemoteDataError) in
            try transaction.retry(number, with: json)
        }
    }

    /// Gives up a write that the server has refused, and what could only follow it: the row is as the server has it.
    ///
    /// - Throws: `RemoteDataError`: `notFound` when there is no such write, `storage`.
    public func discard(_ number: Int64) async throws(RemoteDataError) {
        try await core.change { (transaction) throws(RemoteDataError) in try transaction.discard(number) }
    }
}
