/// A page that was looked through, which takes time that nobody should have to wait for.
struct Answer: Sendable {
    /// The page with every row once: one that comes again is a row that cannot be used.
    let page: Page
    /// The offset of the first row that does not come behind the one before it, or behind what was asked for.
    let firstOutOfOrder: Int?

    /// Looks a page through.
    ///
    /// - Parameters:
    ///   - page: The page.
    ///   - request: What was asked for.
    init(_ page: Page, to request: PageRequest) {
        let outOfOrder = Self.firstOutOfOrder(page.rows, request)
        // In the order of the ids each of them is there once; in other orders it takes a look at all.
        if request.query.sort.isEmpty, outOfOrder == nil, page.rows.first?.place == nil {
            (self.page, firstOutOfOrder) = (page, nil)
        } else {
            let once = Self.withoutRepetitions(page)
            self.page = once
            firstOutOfOrder =
                once.rows.count == page.rows.count ? outOfOrder : Self.firstOutOfOrder(once.rows, request)
        }
    }

    private static func withoutRepetitions(_ page: Page) -> Page {
        // Rows whose ids have the same hash are looked at.
        var marks = Set<UInt64>(minimumCapacity: page.rows.count)
        guard !page.rows.allSatisfy({ marks.insert($0.idMark).inserted }) else { return page }
        let taken = Set(page.failures.map(\.position))
        var (rows, failures) = ([Row](), page.failures)
        var (position, seen) = (0, Set<RowID>())
        for row in page.rows {
            while taken.contains(position) { position += 1 }
            if seen.insert(row.id).inserted {
                rows.append(row)
            } else {
                let error = RemoteDataError(.invalidAnswer, "The table sent one row twice in a page.")
                failures.append(RowFailure(position: position, error: error))
            }
            position += 1
        }
        failures.sort { $0.position < $1.position }
        return Page(rows: rows, revision: page.revision, failures: failures, endsEarly: page.endsEarly)
    }

    private static func firstOutOfOrder(_ rows: [Row], _ request: PageRequest) -> Int? {
        let sort = request.query.sort
        if case .after(let key) = request.start, let first = rows.first,
            Key.order(key, first, sort: sort) != .ascending
        {
            return 0
        }
        let rows = rows.span
        if sort.isEmpty, rows.isEmpty || rows[0].place == nil { return firstOutOfIDs(rows) }
        var last: UInt64?
        for offset in rows.indices {
            let beginning = Key.beginning(of: rows[offset], sort: sort)
            defer { last = beginning }
            guard let last, last >= beginning else { continue }
            // Only those that begin alike have to be compared whole.
            if last > beginning { return offset }
            if Key.order(Key(rows[offset - 1], sort: sort), rows[offset], sort: sort) != .ascending {
                return offset
            }
        }
        return nil
    }

    /// The same in the order of the ids, where nothing of a row but its id need be looked at.
    private static func firstOutOfIDs(_ rows: borrowing Span<Row>) -> Int? {
        var last: UInt64?
        for offset in rows.indices {
            let beginning = rows[offset].idBeginning
            defer { last = beginning }
            guard let last, last >= beginning else { continue }
            // Only those that begin alike have to be compared whole.
            guard last == beginning, Row.orderOfIDs(rows[offset - 1], rows[offset]) == .ascending else {
                return offset
            }
        }
        return nil
    }
}
