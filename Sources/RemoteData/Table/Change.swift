/// One change of a table, as a subscription to a query sees it.
///
/// A subscription with a clause sees membership: a row that comes to match is `created`, one that ceases to match
/// is `deleted` with ``left`` set.
public struct Change: Sendable, Hashable {
    /// The revision of the write, where the table has revisions.
    ///
    /// No two changes of a table share one.
    public let revision: Revision?
    /// What happened.
    public let kind: ChangeKind
    /// The row's id; nil for a bulk deletion.
    public let id: RowID?
    /// The whole row after the change, for `created` and `updated`.
    public let row: Row?
    /// Whether a `deleted` row still exists and only left the clause.
    public let left: Bool
    /// Where the row stood before the change in the subscription's sort order, for `updated` and `deleted`, from
    /// tables that can tell.
    public let previousKey: Key?
    /// Which rows a bulk deletion removed, whole table and all; nil removed every row.
    public let predicate: Where?
    /// How many rows of the subscription's query a bulk deletion removed, where the table can tell.
    public let count: Int?
    /// The idempotency key of the write, from tables that can tell: whoever made the write knows it by this.
    public let idempotencyKey: String?

    /// Creates a change.
    public init(
        revision: Revision?,
        kind: ChangeKind,
        id: RowID? = nil,
        row: Row? = nil,
        left: Bool = false,
        previousKey: Key? = nil,
        predicate: Where? = nil,
        count: Int? = nil,
        idempotencyKey: String? = nil
    ) {
        self.revision = revision
        self.kind = kind
        self.id = id ?? row?.id
        self.row = row
        self.left = left
        self.previousKey = previousKey
        self.predicate = predicate
        self.count = count
        self.idempotencyKey = idempotencyKey
    }
}
