import Synchronization

// The places of a page's rows.
extension PlacingTable {
    /// Gives the rows of a page their places.
    ///
    /// Most are known, or follow from those around them: nothing is asked where rows are read one page after another.
    func placed(_ page: Page, _ request: PageRequest) async throws(RemoteDataError) -> Page {
        guard !page.rows.isEmpty else { return page }
        let isLast = page.rows.count + page.failures.count < request.limit && !page.endsEarly
        var span = PlaceSpan(page.rows, sort: sort, start: request.start, isLast: isLast)
        var budget = Budget()
        while true {
            switch book.withLock({ span.step(&$0) }) {
            case .places(let places):
                return Page(
                    rows: zip(page.rows, places).map { $0.at($1) },
                    revision: page.revision,
                    failures: page.failures,
                    endsEarly: page.endsEarly
                )
            case .ask(let position):
                let key = span.keys[position]
                span.asked[key.id] = try await place(of: key, page.rows[position].revision, &budget)
            case .check(let all):
                let entries = Array(all.prefix(max(1, capabilities.maximumPageSize)))
                let left = try await existing(entries)
                if left.count == entries.count { try budget.spend() }
                span.strangers.formUnion(left)
            }
        }
    }

    /// Finds out which rows still have the keys they are known by, and notes that the others are gone.
    private func existing(_ entries: [PlaceBook.Entry]) async throws(RemoteDataError) -> Set<RowID> {
        let ids = entries.map { Where.Operand.literal($0.key.id.value) }
        let named = Where.isIn(.column(ColumnPath(idColumn)), ids)
        let query = Query(query.filter.map { .and([$0, named]) } ?? named, sort: sort)
        let page = try await read(PageRequest(query, start: .offset(0), limit: entries.count))
        guard !page.endsEarly, page.failures.isEmpty else { return Set(entries.map(\.key.id)) }
        let keys = Set(page.rows.map { Key($0, sort: sort) })
        book.withLock { book in
            for entry in entries where !keys.contains(entry.key) { book.noteGone(entry) }
        }
        return Set(entries.filter { keys.contains($0.key) }.map(\.key.id))
    }
}
