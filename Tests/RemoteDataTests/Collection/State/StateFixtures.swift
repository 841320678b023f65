@testable import RemoteData

/// A table, and the state of a collection of it, with everything delivered by hand.
struct StateFixture {
    var table: ReferenceTable
    var state: CollectionState

    /// A table of rows 0, 10, 20, … with their ids as values, and a live collection of it.
    init(
        rows: Int = 10,
        pageSize: Int = 3,
        largestPage: Int = 0,
        pageLimit: Int? = nil,
        sort: String = "",
        isLive: Bool = true,
        cache: CacheLimit? = nil
    ) throws {
        table = ReferenceTable(query: Query(nil, sort: try SortTerm.parse(sort)))
        table.fill((0..<rows).map { Int64($0 * 10) })
        state = .init(
            query: table.query,
            pageSize: pageSize,
            largestPage: largestPage,
            pageLimit: pageLimit,
            count: table.count,
            follows: isLive,
            cache: cache
        )
        guard isLive else { return }
        state.pending = [.live(Revision(table.revision))]
        _ = state.applyPending()
    }

    /// Asks for the page around a position.
    mutating func ask(_ position: Int) throws -> Fetch {
        guard case .fetch(let fetch) = state.need(base: position) else { throw NothingToFetch() }
        return fetch
    }

    /// Asks for the page around a position and puts it in place.
    mutating func load(_ position: Int) throws {
        let fetch = try ask(position)
        _ = try state.receive(table.page(fetch.request), for: fetch)
    }

    /// Delivers what the table tells.
    @discardableResult
    mutating func deliver() -> [Applied] {
        state.pending += table.events
        table.events = []
        return state.applyPending()
    }

    /// The ids by position; nil where no row is here.
    var ids: [Int64?] { (0..<state.count).map { state.row(at: $0)?.number } }

    struct NothingToFetch: Error {}
}

extension ReferenceTable {
    /// Puts a row whose value is its id, or another one.
    @discardableResult
    mutating func put(_ id: Int64, value: Int? = nil) -> Change? {
        put(id, .init(value: value ?? Int(id), isMarked: true))
    }
}
