/// One change of a table, as a subscription to a query sees it.
///
/// A subscription with a clause sees membership: a row that comes to match is `created`, one that ceases to match
/// is `deleted` with ``left`` set.
public struct Change: Sendable, Hashable {
    /// Changes go from hand to hand in great numbers: to copy one is to take hold of one object, and a small one.
    private let contents: Contents

    /// The revision of the write, where the table has revisions.
    ///
    /// No two changes of a table share one.
    public var revision: Revision? { contents.fields.revision }
    /// What happened.
    public var kind: ChangeKind { contents.fields.kind }
    /// The row's id; nil for a bulk deletion.
    ///
    /// - Complexity: O(bytes of the id): that of a row is made each time.
    public var id: RowID? { details?.id ?? contents.fields.row?.id }
    /// The whole row after the change, for `created` and `updated`.
    ///
    /// One that came over a socket may share its memory, 4 KB at most, with others that came at the same time.
    public var row: Row? { contents.fields.row }
    /// Whether a `deleted` row still exists and only left the clause.
    public var left: Bool { details?.left ?? false }
    /// Where the row stood before the change in the subscription's sort order, for `updated` and `deleted`, from
    /// tables that can tell.
    ///
    /// - Complexity: O(bytes of the key): one that came over the network is read each time.
    public var previousKey: Key? { contents.fields.previousKey?.key }
    /// Which rows a bulk deletion removed, whole table and all; nil removed every row.
    public var predicate: Where? { details?.predicate }
    /// How many rows of the subscription's query a bulk deletion removed, where the table can tell.
    public var count: Int? { details?.count }
    /// The idempotency key of the write, from tables that can tell: whoever made the write knows it by this.
    public var idempotencyKey: String? { details?.idempotencyKey }
    /// The id that an `updated` row had before, where it has another one now: the same row, under another name.
    public var formerID: RowID? { details?.formerID }

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
        idempotencyKey: String? = nil,
        formerID: RowID? = nil
    ) {
        self.init(
            revision: revision,
            kind: kind,
            id: id,
            row: row,
            left: left,
            previousKey: previousKey.map(UnreadKey.init),
            predicate: predicate,
            count: count,
            idempotencyKey: idempotencyKey,
            formerID: formerID
        )
    }

    /// Creates a change with a key that has not been read.
    package init(
        revision: Revision?,
        kind: ChangeKind,
        id: RowID?,
        row: Row?,
        left: Bool,
        previousKey: UnreadKey?,
        predicate: Where?,
        count: Int?,
        idempotencyKey: String?,
        formerID: RowID?
    ) {
        let details = Details(
            // That of the row is made when it is asked for.
            id: id.flatMap { id in row?.has(id) == true ? nil : id },
            left: left,
            predicate: predicate,
            count: count,
            idempotencyKey: idempotencyKey,
            formerID: formerID
        )
        contents = Contents(
            Fields(
                revision: revision,
                kind: kind,
                row: row,
                previousKey: previousKey,
                rest: details.isNothing ? .nothing : .some(details)
            )
        )
    }

    private init(_ fields: Fields) { contents = Contents(fields) }

    private var details: Details? { contents.fields.rest.details }

    /// The row for who keeps it: what it came with does not stay in memory with it.
    ///
    /// - Complexity: O(bytes), where it shares its memory.
    var rowToKeep: Row? {
        var row = contents.fields.row
        row?.takeMemory()
        return row
    }

    /// Whether there is an id.
    var hasID: Bool { contents.fields.row != nil || details?.id != nil }

    /// Whether there is a key that tells where the row stood.
    var hasPreviousKey: Bool { contents.fields.previousKey != nil }

    /// The same change, whose key need not be read again.
    var withKeyRead: Change {
        guard let key = contents.fields.previousKey, !key.isRead else { return self }
        return with(previousKey: key.key)
    }

    /// The same change in the history of an epoch, for one that came without it.
    package func placed(in epoch: Epoch?) -> Change {
        guard let revision = contents.fields.revision, revision.epoch != epoch else { return self }
        let placed = Revision(revision.rawValue, epoch: epoch)
        return Change(
            Fields(
                revision: placed,
                kind: contents.fields.kind,
                row: contents.fields.row?.at(placed),
                previousKey: contents.fields.previousKey,
                rest: contents.fields.rest
            )
        )
    }

    /// The same change with another key.
    func with(previousKey: Key?) -> Change {
        var fields = contents.fields
        fields.previousKey = previousKey.map(UnreadKey.init)
        return Change(fields)
    }

    /// Whether it is about the row with an id, or about one that had that before.
    func concerns(_ id: RowID) -> Bool {
        let details = details
        return details?.id.map { $0 == id } ?? contents.fields.row?.has(id) ?? false
            || details?.formerID == id
    }

    /// Whether it is about a row, or about one that had its id before.
    func concerns(_ row: Row) -> Bool {
        let details = details
        return details?.id.map(row.has) ?? contents.fields.row?.hasSameID(as: row) ?? false
            || details?.formerID.map(row.has) ?? false
    }

    /// Whether two changes say the same.
    public static func == (left: Change, right: Change) -> Bool {
        left.contents === right.contents || left.contents.fields == right.contents.fields
    }

    /// Hashes all of it.
    public func hash(into hasher: inout Hasher) { hasher.combine(contents.fields) }
}

extension Change: CustomStringConvertible {
    /// What happened to which row, and at which revision; never the contents.
    public var description: String {
        let what = id.map { "row \($0)" } ?? predicate.map { "where \($0)" } ?? "all rows"
        return "\(kind) \(what)" + (revision.map { " at \($0)" } ?? "")
    }
}

extension Change {
    fileprivate struct Fields: Sendable, Hashable {
        let revision: Revision?
        let kind: ChangeKind
        let row: Row?
        var previousKey: UnreadKey?
        let rest: Rest
    }

    /// What only some changes tell, which takes a place of its own, so that the others are small.
    fileprivate enum Rest: Sendable, Hashable {
        case nothing
        indirect case some(Details)

        var details: Details? { if case .some(let details) = self { details } else { nil } }
    }

    fileprivate struct Details: Sendable, Hashable {
        /// Where it is not that of the row.
        let id: RowID?
        let left: Bool
        let predicate: Where?
        let count: Int?
        let idempotencyKey: String?
        let formerID: RowID?

        var isNothing: Bool {
            id == nil && !left && predicate == nil && count == nil && idempotencyKey == nil && formerID == nil
        }
    }

    fileprivate final class Contents: Sendable {
        let fields: Fields

        init(_ fields: Fields) { self.fields = fields }
    }
}
