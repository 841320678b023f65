// Pages that were asked for at the same time: each shows a stretch of the query whole, and none of them whether a row lies between two.
// The index shows that, once they are in place, and a cache has to be told.
extension CollectionState {
    /// How many stretches are remembered.
    private static var seamLimit: Int { 256 }

    /// Notes the stretch that a page shows, which a cache knows of as well.
    mutating func noteShown(_ page: Page, by fetch: Fetch) {
        guard shown != nil, var stretch = page.stretch(for: fetch.request) else { return }
        // What is kept behind a key, or behind the start, is all of one stretch.
        if fetch.isKept {
            stretch.lower = fetch.request.start.behind.map { .init(key: $0, isIncluded: false) }
        }
        shown?.insert(stretch, sort: query.sort)
        if let all = shown?.all, all.count > Self.seamLimit, let last = all.last {
            // Those in front matter most to whoever reads from the start.
            shown?.remove(last, sort: query.sort)
        }
    }

    /// What lies between stretches that pages have shown, where all of it is here: mostly nothing, else rows that came meanwhile; as
    /// of ``verified``.
    ///
    /// Each is told once, and none as long as something that has come is not in its place.
    ///
    /// - Complexity: O(stretches × log n), and the rows.
    mutating func takeSeams() -> [(seam: KeyInterval, rows: [Row])] {
        guard let stretches = shown?.all, stretches.count > 1, pendingCount == 0, verified != nil,
            !needsResync, held.isEmpty
        else { return [] }
        var seams: [(seam: KeyInterval, rows: [Row])] = []
        for (one, next) in zip(stretches, stretches.dropFirst()) {
            guard let end = one.upper, let start = next.lower, end.isIncluded, start.isIncluded,
                let rows = rows(behind: end.key, before: start.key)
            else { continue }
            let seam = KeyInterval(
                lower: .init(key: end.key, isIncluded: false),
                upper: .init(key: start.key, isIncluded: false)
            )
            seams.append((seam, rows))
        }
        for (seam, _) in seams { shown?.insert(seam, sort: query.sort) }
        return seams
    }

    /// The rows between two keys; nil where some are not here, or very many.
    private func rows(behind left: Key, before right: Key) -> [Row]? {
        let (start, end): (Int, Int)
        switch index.place(of: left) {
        case .at(let position): start = position + 1
        case .between(let position): start = position
        case .gap: return nil
        }
        switch index.place(of: right) {
        case .at(let position), .between(let position): end = position
        case .gap: return nil
        }
        guard start <= end, end - start <= 1_000 else { return nil }
        var rows: [Row] = []
        index.forEachLoaded(in: start..<end) { _, row in rows.append(row) }
        return rows.count == end - start ? rows : nil
    }
}
