import RemoteData
import Synchronization

/// The columns of a table in the order in which they were first seen.
final class ColumnOrder: Sendable {
    private struct State {
        var names: [String] = []
        var places: [String: Int] = [:]
        var hasPage = false

        mutating func note(_ name: String) {
            guard places[name] == nil else { return }
            places[name] = names.count
            names.append(name)
        }
    }

    private let state = Mutex(State())

    /// The columns seen so far.
    var names: [String] { state.withLock { $0.names } }

    /// Notes the columns of a page as it came: in the order of its text.
    ///
    /// Only the first page with rows is read that closely; a column that turns up later comes behind.
    func note(_ page: Page) {
        let isFirst = state.withLock { state in
            defer { state.hasPage = state.hasPage || !page.rows.isEmpty }
            return !state.hasPage
        }
        guard isFirst else { return }
        for row in page.rows {
            guard case .object(let members)? = (try? JSONReader.values(in: row.json))?.first else { continue }
            note(members)
        }
    }

    /// Notes the columns of a row.
    func note(_ members: [JSONMember]) {
        state.withLock { state in
            for member in members { state.note(member.name) }
        }
    }

    /// The row with its members in the order of the columns.
    func ordered(_ row: LiveRow) -> LiveRow {
        state.withLock { state in
            for member in row.members { state.note(member.name) }
            let members = row.members.map { (place: state.places[$0.name] ?? 0, member: $0) }
            return LiveRow(members: members.sorted { $0.place < $1.place }.map(\.member))
        }
    }
}
