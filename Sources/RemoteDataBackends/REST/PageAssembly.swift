import RemoteData

/// Puts a page together from the answers of a server whose pages are smaller than the one asked for.
///
/// A page with fewer rows than asked for means that there are no more, so none may be short for another reason. Rows
/// are read at several moments then, and the page is told as of the first: what has changed since comes as a change,
/// which makes up for a row that moved from a part not read yet to one that was read. One that moved the other way
/// is there twice, and the place read first is dropped.
///
/// It holds no network.
struct PageAssembly {
    private enum Element {
        case row(Row)
        case failure(RemoteDataError)

        var row: Row? {
            if case .row(let row) = self { row } else { nil }
        }
    }

    private let request: PageRequest
    private let limit: Int
    /// Where the next part starts; nil when there is none.
    private var start: PageRequest.Start?
    private var elements: [Element] = []
    private var revision: Revision?
    private var isBegun = false
    /// The page, where the first part is all of it.
    private var only: Page?
    /// Whether the last part ended for its size in bytes; the rest is then left to the next page.
    private var endsEarly = false
    /// How many parts in a row have brought no new row.
    private var vainParts = 0
    private static let vainPartLimit = 3

    /// - Parameters:
    ///   - request: The page asked for.
    ///   - limit: How many rows it has, if there are as many.
    init(_ request: PageRequest, limit: Int) {
        self.request = request
        self.limit = limit
        start = request.start
    }

    /// The part to ask for next; nil when the page is complete.
    func next(maximum: Int) -> PageRequest? {
        start.map {
            PageRequest(request.query, start: $0, limit: max(1, min(maximum, limit - elements.count)))
        }
    }

    /// Takes an answer.
    ///
    /// - Parameters:
    ///   - part: The answer.
    ///   - asked: What it answers.
    ///   - usesKeys: Whether the next part can start at a key.
    /// - Throws: `RemoteDataError` with code `invalidRow` when the part ends in a row that cannot be read, so that
    ///   it cannot be said where the next one starts; `invalidAnswer` when the same rows come again and again.
    mutating func add(_ part: Page, to asked: PageRequest, usesKeys: Bool) throws(RemoteDataError) {
        if !isBegun {
            // Mostly it is all there is.
            only = whole(part, asked)
            guard only == nil else { return start = nil }
            revision = part.revision
        }
        isBegun = true
        let added = Self.elements(of: part)
        let size = elements.count
        let ids = Set(part.rows.map(\.id))
        elements.removeAll { element in element.row.map { ids.contains($0.id) } ?? false }
        if case .before = asked.start { elements = added + elements } else { elements += added }
        vainParts = elements.count > size ? 0 : vainParts + 1
        endsEarly = part.endsEarly && !added.isEmpty && elements.count < limit
        let isLast = endsEarly || added.count < asked.limit || elements.count >= limit
        guard isLast || vainParts < Self.vainPartLimit else {
            throw RemoteDataError(.invalidAnswer, "The server sends the same rows again instead of the next.")
        }
        start = isLast ? nil : try follow(asked.start, added, usesKeys: usesKeys)
    }

    /// The page that a first part is; nil where there is more to ask for.
    private func whole(_ part: Page, _ asked: PageRequest) -> Page? {
        let count = part.rows.count + part.failures.count
        let endsEarly = part.endsEarly && count > 0 && count < limit
        guard endsEarly || count < asked.limit || count >= limit else { return nil }
        return Page(rows: part.rows, revision: part.revision, failures: part.failures, endsEarly: endsEarly)
    }

    /// The page as far as it was put together.
    var page: Page {
        if let only { return only }
        var rows: [Row] = []
        var failures: [RowFailure] = []
        rows.reserveCapacity(elements.count)
        for (position, element) in elements.enumerated() {
            switch element {
            case .row(let row): rows.append(row)
            case .failure(let error): failures.append(RowFailure(position: position, error: error))
            }
        }
        return Page(rows: rows, revision: revision, failures: failures, endsEarly: endsEarly)
    }

    /// Rows and failures in the order of the table.
    private static func elements(of page: Page) -> [Element] {
        var elements = page.rows.map { Element.row($0) }
        for failure in page.failures {
            elements.insert(.failure(failure.error), at: min(failure.position, elements.count))
        }
        return elements
    }

    /// Where the part behind another one starts, or in front of it.
    private func follow(
        _ start: PageRequest.Start,
        _ part: [Element],
        usesKeys: Bool
    ) throws(RemoteDataError) -> PageRequest.Start {
        switch start {
        case .before:
            if let row = part.first?.row { return .before(Key(row, sort: request.query.sort)) }
        case .beyond(let key, let offset) where part.last?.row == nil:
            return .beyond(key, offset: offset + part.count)
        case .after, .beyond:
            if let row = part.last?.row { return .after(Key(row, sort: request.query.sort)) }
        case .offset(let offset):
            if usesKeys, let row = part.last?.row { return .after(Key(row, sort: request.query.sort)) }
            return .offset(offset + part.count)
        }
        throw RemoteDataError(
            .invalidRow,
            "A row that cannot be read ends a part of the page, so the rest of it cannot be asked for."
        )
    }
}
