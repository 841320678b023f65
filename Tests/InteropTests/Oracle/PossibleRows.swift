import Foundation
import RemoteData

/// What the rows of a table may hold during a batch, as far as the writes that were sent tell.
///
/// A write may be made at any time until the end of the batch, partly or not at all: a row may hold every
/// combination of the values that were ever sent for its columns.
struct PossibleRows: Sendable {
    private struct Values: Sendable {
        var texts: Set<String>
        var numbers: Set<Int>
    }

    private var rows: [String: Values] = [:]

    /// Begins with the rows that are there at the begin of a batch.
    init(_ rows: [Row]) {
        for row in rows {
            guard case .text(let text) = row["s"], case .integer(let number) = row["n"] else { continue }
            self.rows[row.id.description] = Values(texts: [text], numbers: [Int(number)])
        }
    }

    /// A row may be changed.
    mutating func update(_ id: String, text: String? = nil, number: Int? = nil) {
        if let text { rows[id]?.texts.insert(text) }
        if let number { rows[id]?.numbers.insert(number) }
    }

    /// A row may be removed.
    mutating func remove(_ id: String) { rows[id] = nil }

    /// The rows that match from the begin of the batch to its end, whatever was made of the writes.
    ///
    /// - Parameters:
    ///   - query: The clause and the order.
    ///   - withoutMoved: Whether rows that may have moved in the order do not count.
    /// - Returns: Their ids.
    func matching(_ query: Query, withoutMoved: Bool) -> Set<String> {
        let sorts = Set(query.sort.map(\.column))
        return Set(
            rows.filter { id, values in
                let mayMove =
                    (sorts.contains("s") && values.texts.count > 1)
                    || (sorts.contains("n") && values.numbers.count > 1)
                guard !withoutMoved || !mayMove else { return false }
                guard let filter = query.filter else { return true }
                return values.texts.allSatisfy { text in
                    values.numbers.allSatisfy { filter.matches(Self.row(id, text, $0)) }
                }
            }.keys
        )
    }

    private static func row(_ id: String, _ text: String, _ number: Int) -> Row {
        let text = String(decoding: Value.text(text).json, as: UTF8.self)
        return Row(id: .text(id), json: Array(#"{"s":\#(text),"n":\#(number)}"#.utf8)[...])
    }
}
