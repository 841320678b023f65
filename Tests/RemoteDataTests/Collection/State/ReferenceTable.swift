import RemoteData
import RemoteDataTesting

/// A table said plainly: rows in a dictionary, read by filtering and sorting all of them.
///
/// Rows are of an id from 0 up, a value `v` and a mark `m` that a clause may ask for.
struct ReferenceTable {
    struct Content: Hashable {
        var value: Int
        var isMarked: Bool
    }

    let query: Query
    private(set) var contents: [Int64: Content] = [:]
    private(set) var revisions: [Int64: Int64] = [:]
    private(set) var revision: Int64 = 0
    /// What a subscription to the query is told, not delivered yet.
    var events: [ChangeEvent] = []
    /// All changes the query ever saw, by revision.
    private(set) var history: [(revision: Int64, change: Change?)] = []
    /// The ids of the query at each revision.
    private(set) var members: [Set<Int64>] = [[]]
    /// The rows of the query at each revision.
    private(set) var snapshots: [[Row]] = [[]]
    /// The ids of the query in its order.
    private(set) var ids: [Int64] = []
    /// Whether the events tell where a row was before.
    var tellsPreviousKey = true

    init(query: Query) { self.query = query }

    // MARK: Reading

    private func matches(_ content: Content) -> Bool { query.filter == nil || content.isMarked }

    func row(_ id: Int64) -> Row? {
        contents[id].map { content in
            // The clock with which writes are stamped counts them.
            let json =
                #"{"objectId":\#(id),"v":\#(content.value),"m":\#(content.isMarked ? 1 : 0),"#
                + #""w":\#(revisions[id] ?? 0)}"#
            return Row(
                id: .integer(id),
                revision: revisions[id].map { Revision($0) },
                json: Array(json.utf8)[...]
            )
        }
    }

    private var sortedIDs: [Int64] {
        let members = contents.filter { matches($0.value) }
        guard let term = query.sort.first else { return members.keys.sorted() }
        return members.keys.sorted { left, right in
            let (first, second) = (contents[left]?.value ?? 0, contents[right]?.value ?? 0)
            if first != second { return (first < second) == term.isAscending }
            return left < right
        }
    }

    var rows: [Row] { snapshots.last ?? [] }

    var count: Count { Count(ids.count, revision: Revision(revision)) }

    func page(_ request: PageRequest) -> Page {
        let sort = request.query.sort
        var rows = rows[...]
        if request.query != query {
            rows =
                rows.filter { request.query.filter?.matches($0) ?? true }
                .sorted { Key.order(Key($0, sort: sort), Key($1, sort: sort), sort: sort) == .ascending }[...]
        }
        switch request.start {
        case .offset(let offset): rows = rows.dropFirst(offset)
        case .after(let key):
            rows = rows.drop { Key.order(Key($0, sort: sort), key, sort: sort) != .descending }
        case .beyond(let key, let offset):
            rows = rows.drop { Key.order(Key($0, sort: sort), key, sort: sort) != .descending }.dropFirst(
                offset
            )
        case .before: rows = []
        }
        return Page(rows: Array(rows.prefix(request.limit)), revision: Revision(revision))
    }

    // MARK: Writing

    private mutating func tell(_ change: Change?) {
        history.append((revision, change))
        ids = sortedIDs
        members.append(Set(ids))
        snapshots.append(ids.compactMap { row($0) })
        events.append(change.map { .change($0) } ?? .progress(Revision(revision)))
    }

    /// Creates rows whose values are their ids, in one write that nobody is told of.
    mutating func fill(_ ids: some Sequence<Int64>) {
        revision += 1
        for id in ids { (contents[id], revisions[id]) = (.init(value: Int(id), isMarked: true), revision) }
        tell(nil)
        events = []
    }

    /// Gives a row another content, or takes it away for nil.
    ///
    /// - Returns: What the query sees of it.
    @discardableResult
    mutating func put(_ id: Int64, _ content: Content?) -> Change? {
        let before = row(id)
        let wasMember = contents[id].map(matches) ?? false
        revision += 1
        contents[id] = content
        revisions[id] = content == nil ? nil : revision
        let isMember = content.map(matches) ?? false
        let previous = tellsPreviousKey ? before.map { Key($0, sort: query.sort) } : nil
        var change: Change?
        switch (wasMember, isMember) {
        case (false, true): change = Change(revision: Revision(revision), kind: .created, row: row(id))
        case (true, true):
            change = Change(revision: Revision(revision), kind: .updated, row: row(id), previousKey: previous)
        case (true, false):
            change = Change(
                revision: Revision(revision),
                kind: .deleted,
                id: .integer(id),
                left: content != nil,
                previousKey: previous
            )
        case (false, false): break
        }
        tell(change)
        return change
    }

    /// Gives a row another id.
    mutating func rename(_ id: Int64, to new: Int64) {
        guard let content = contents[id], contents[new] == nil else { return }
        let previous = row(id).map { Key($0, sort: query.sort) }
        revision += 1
        (contents[id], revisions[id]) = (nil, nil)
        (contents[new], revisions[new]) = (content, revision)
        let change = Change(
            revision: Revision(revision),
            kind: .updated,
            row: row(new),
            previousKey: tellsPreviousKey ? previous : nil,
            formerID: .integer(id)
        )
        tell(matches(content) ? change : nil)
    }

    /// Takes away every row of at least a value (all for nil), or only those of the query.
    @discardableResult
    mutating func removeAll(from value: Int?, inQuery: Bool = false) -> Change? {
        let gone = contents.filter { item in
            (value.map { item.value.value >= $0 } ?? true) && (!inQuery || matches(item.value))
        }
        let count = gone.filter { matches($0.value) }.count
        guard !gone.isEmpty else { return nil }
        revision += 1
        for id in gone.keys {
            contents[id] = nil
            revisions[id] = nil
        }
        let clause = [value.map { "v >= \($0)" }, inQuery ? query.filter?.description : nil]
        let predicate = try? Where.parse(clause.compactMap(\.self).joined(separator: " and "))
        let change =
            count == 0
            ? nil
            : Change(revision: Revision(revision), kind: .bulkDeleted, predicate: predicate, count: count)
        tell(change)
        return change
    }

    /// The rows that have been in the query at each revision from one on.
    func membersThroughout(since revision: Revision?) -> Set<Int64> {
        members.dropFirst(Int(revision?.rawValue ?? 0)).reduce(members.last ?? []) { $0.intersection($1) }
    }

    /// What a subscription since a revision is told first.
    func replay(since revision: Int64) -> [ChangeEvent] {
        let missed = history.filter { $0.revision > revision }
        return [.live(Revision(revision))]
            + missed.map { item in item.change.map { .change($0) } ?? .progress(Revision(item.revision)) }
    }
}
