import RemoteData

@testable import RemoteDataBackends

/// A server in memory that reads clauses and orders as Backendless has them, compares text in its own way and puts nulls where it
/// wants.
struct ModelServer: Sendable {
    /// Where nulls sort.
    enum Nulls: CaseIterable, Sendable { case first, last, least, greatest }

    let rows: [Row]
    let comparison: BackendlessTextComparison
    let nulls: Nulls

    /// The rows of a query in order, as they have to come.
    func right(_ query: Query) -> [Row] {
        sorted(rows.filter { query.filter?.matches($0) ?? true }, query.sort)
    }

    private func sorted(_ rows: [Row], _ sort: [SortTerm]) -> [Row] {
        rows.map { (key: Key(folded($0), sort: sort), row: $0) }
            .sorted { Key.order($0.key, $1.key, sort: sort) == .ascending }.map(\.row)
    }

    /// Whether a row comes in front of another one by an order, with nulls where that has them.
    func isLess(_ left: Row, _ right: Row, _ sort: [SortTerm]) -> Bool {
        let (left, right) = (folded(left), folded(right))
        return Key.order(Key(left, sort: sort), Key(right, sort: sort), sort: sort) == .ascending
    }

    func find(_ part: BackendlessPaging.Part) throws -> Page {
        let terms = try SortTerm.parse(part.sort).map { term in
            let isFirst =
                switch nulls {
                case .first: true
                case .last: false
                case .least: term.isAscending
                case .greatest: !term.isAscending
                }
            return SortTerm(term.column, ascending: term.isAscending, nullsFirst: isFirst)
        }
        let found = sorted(try matching(part.filter), terms)
        return Page(rows: Array(found.dropFirst(part.offset).prefix(part.size)))
    }

    func count(_ filter: String?) throws -> Int { try matching(filter).count }

    private func matching(_ filter: String?) throws -> [Row] {
        let matcher = try filter.map { Where.Matcher(folded(try Where($0))) }
        return rows.filter { matcher?.matches(folded($0)) ?? true }
    }

    // MARK: What compares the same becomes the same

    private func folded(_ text: String) -> String {
        comparison == .byBytes ? text : text.lowercased().replacing("é", with: "e")
    }

    private func folded(_ row: Row) -> Row {
        guard comparison == .byCollation, case .text(let text) = row["s"] else { return row }
        let members = (try? JSONObject.members(of: row.json)) ?? []
        let json = JSONObject.object(
            of: members.filter { $0.name != "s" } + [.init(name: "s", value: .text(folded(text)))]
        )
        return Row(id: row.id, json: json)
    }

    private func folded(_ operand: Where.Operand) -> Where.Operand {
        if case .literal(.text(let text)) = operand { .literal(.text(folded(text))) } else { operand }
    }

    private func folded(_ clause: Where) -> Where {
        switch clause {
        case .comparison(let left, let comparison, let right):
            // Ids are what they are.
            left == .column("objectId") ? clause : .comparison(folded(left), comparison, folded(right))
        case .isIn(let operand, let list): .isIn(operand, list.map(folded))
        case .like(let operand, let pattern): .like(operand, .init(folded(pattern.text)))
        case .and(let parts): .and(parts.map(folded))
        case .or(let parts): .or(parts.map(folded))
        case .not(let part): .not(folded(part))
        default: clause
        }
    }
}
