import Synchronization

/// The columns in which empty text stands for no date, as a table spells it: which they are, rows tell that do not decode.
final class EmptyDates: Sendable {
    private let columns = Mutex<Set<String>>([])

    /// Learns from a row that does not decode.
    ///
    /// - Returns: Whether that was empty text in place of a date.
    func learn(from error: any Error, _ row: Row) -> Bool {
        guard case .dataCorrupted(let context)? = error as? DecodingError, context.codingPath.count == 1,
            let name = context.codingPath.first?.stringValue, row[ColumnPath(names: [name])] == .text("")
        else { return false }
        columns.withLock { _ = $0.insert(name) }
        return true
    }

    /// A row's JSON with null in place of such text; nil where there is none.
    func nulled(_ row: Row) -> ArraySlice<UInt8>? {
        let names = columns.withLock { $0 }
        guard !names.isEmpty, var members = try? JSONObject.members(of: row.json) else { return nil }
        var isChanged = false
        for index in members.indices where names.contains(members[index].name) {
            guard JSONObject.value(of: members[index].json) == .text("") else { continue }
            members[index] = JSONObject.Member(name: members[index].name, value: .null)
            isChanged = true
        }
        return isChanged ? JSONObject.object(of: members) : nil
    }
}
