/// What a table can do; nothing is assumed that is not declared.
public struct Capabilities: Sendable, Hashable {
    /// Pages can start after and before a key.
    public var keysetPages = false
    /// Pages, counts and changes carry revisions.
    public var revisions = false
    /// Changes since a revision can be asked for, as far back as the log reaches.
    public var resume = false
    /// Changes are pushed as they happen.
    public var liveChanges = false
    /// A subscription with a clause reports rows that leave it.
    public var reportsLeaving = false
    /// Rows can be deleted and updated by clause in one request.
    public var filteredWrites = false
    /// A repeated write with the same idempotency key is applied once and gets the first answer.
    public var idempotency = false
    /// Writes can be made conditional on a row's revision.
    public var conditionalWrites = false
    /// Rows sort as ``Value/order(_:_:)`` says, so a row's place can be found without asking.
    ///
    /// Where they do not, a collection asks with ``keysetPages`` where a changed row belongs; numbers, dates and nulls are
    /// taken to sort alike everywhere.
    public var binaryOrder = false
    /// The column of every row that tells when it was last written; nil where there is none.
    public var stamp: StampColumn?
    /// The most rows a page can hold.
    public var maximumPageSize = 100

    /// Declares nothing.
    public init() {}

    /// Everything this package's own tables can do.
    public static var full: Capabilities {
        var all = Capabilities()
        all.keysetPages = true
        all.revisions = true
        all.resume = true
        all.liveChanges = true
        all.reportsLeaving = true
        all.filteredWrites = true
        all.idempotency = true
        all.conditionalWrites = true
        all.binaryOrder = true
        all.maximumPageSize = 1_000
        return all
    }
}
