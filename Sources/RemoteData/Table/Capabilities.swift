/// What a table can do; nothing is assumed that is not declared.
public struct Capabilities: Sendable, Hashable {
    /// Pages can start after and before a key.
    public var keysetPages = false
    /// Pages can start a number of rows behind a key: ``PageRequest/Start/beyond(_:offset:)``.
    public var pagesBeyondKeys = false
    /// Every count is the number of rows that match.
    ///
    /// Where it is not, those of clauses that the table's server cannot be asked for are not: ``Count/isExact``.
    public var exactCounts = false
    /// Pages, counts and changes carry revisions.
    public var revisions = false
    /// Changes since a revision can be asked for, as far back as the log reaches.
    public var resume = false
    /// Each change that was made is told, one after another.
    ///
    /// Where it is not, several changes of a row may be told as one, and one that came to be as one that was changed
    /// (`updated`): what a table without a log can find out.
    public var everyChange = false
    /// Changes are told as they happen, or soon after.
    public var liveChanges = false
    /// A subscription with a clause reports rows that leave it.
    public var reportsLeaving = false
    /// A subscription with a clause knows what rows were before: one that comes to match is `created`, and only one that
    /// matched has left.
    ///
    /// Where it does not, a row that comes to match is `updated`, and every row that is changed and does not match is said to
    /// have left (`deleted` with ``Change/left``), which concerns whoever has it; so is a removed one, without
    /// ``Change/left``.
    public var reportsEntering = false
    /// A change that removed a row says where the row stood: ``Change/previousKey``.
    public var locatesDeleted = false
    /// Rows can be deleted by clause in one request.
    public var filteredDeletes = false
    /// Rows can be updated by clause in one request.
    public var filteredUpdates = false
    /// A repeated write with the same idempotency key is applied once and gets the first answer.
    public var idempotency = false
    /// A repeated creation of rows with the same idempotency key is made once.
    public var idempotentCreation = false
    /// Writes can be made conditional on a row's revision.
    public var conditionalWrites = false
    /// Rows sort as ``Value/order(_:_:)`` says, so a row's place can be found without asking.
    ///
    /// Where they do not, a collection asks with ``keysetPages`` where a changed row belongs; numbers, dates and nulls are
    /// taken to sort alike everywhere.
    public var binaryOrder = false
    /// Columns that the table has never had are refused.
    public var checksColumns = false
    /// The column of every row that tells when it was last written; nil where there is none.
    public var stamp: StampColumn?
    /// The most rows a page can hold.
    public var maximumPageSize = 100
    /// The most rows that one write can create or replace, all of them or none.
    public var maximumBulkSize = 1

    /// Declares nothing.
    public init() {}

    /// Everything this package's own tables can do.
    public static let full: Capabilities = {
        var all = Capabilities()
        for word in words { all[keyPath: word.flag] = true }
        all.maximumPageSize = 1_000
        all.maximumBulkSize = .max
        return all
    }()
}
