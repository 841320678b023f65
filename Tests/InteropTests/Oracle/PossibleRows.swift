import Foundation
import RemoteData

/// What the rows of a table may hold during a batch, as far as the writes that were sent tell.
///
/// A write may be made at any time until the end of the batch, partly or not at all: a row may hold every
/// combination of the values that were ever sent for its columns.
struct PossibleRows: Sendable {
    private struct Values: Sendable {
        /// The row's id; nil for one that the server chooses.
        let id: String?
        /// Whether it is there from the begin of the batch.
        let wasThere: Bool
        var texts: Set<String>
        var numbers: Set<Int>
        /// How many changes of it were sent.
        var changes = 0
        var mayBeGone = false
    }

    /// By what no two rows have in common.
    private var rows: [String: Values] = [:]
    private var tags: [String: String] = [:]

    /// Begins with the rows that are there at the begin of a batch.
    init(_ rows: [Row]) {
        for row in rows {
            guard let item = Item(row) else { continue }
            note(item, wasThere: true)
        }
    }

    private mutating func note(_ item: Item, wasThere: Bool) {
        rows[item.tag] = Values(id: item.id, wasThere: wasThere, texts: [item.s], numbers: [item.n])
        if let id = item.id { tags[id] = item.tag }
    }

    /// A row may be created.
    mutating func create(_ item: Item) { note(item, wasThere: false) }

    /// A row may be changed.
    mutating func update(_ id: String, text: String? = nil, number: Int? = nil) {
        guard let tag = tags[id] else { return }
        update(tag: tag, text: text, number: number)
    }

    /// A row may be changed.
    mutating func update(tag: String, text: String? = nil, number: Int? = nil) {
        if let text { rows[tag]?.texts.insert(text) }
        if let number { rows[tag]?.numbers.insert(number) }
        rows[tag]?.changes += 1
    }

    /// A row may be removed.
    mutating func remove(_ id: String) { if let tag = tags[id] { remove(tag: tag) } }

    /// A row may be removed.
    mutating func remove(tag: String) { rows[tag]?.mayBeGone = true }

    /// The rows that match from the begin of the batch to its end, whatever was made of the writes.
    ///
    /// - Parameters:
    ///   - query: The clause and the order.
    ///   - withoutMoved: Whether rows that may have moved in the order do not count.
    /// - Returns: Their ids.
    func matching(_ query: Query, withoutMoved: Bool) -> Set<String> {
        let sorts = Set(query.sort.map(\.column))
        let matching = rows.values.filter { values in
            guard values.wasThere, !values.mayBeGone else { return false }
            let mayMove =
                (sorts.contains("s") && values.texts.count > 1)
                || (sorts.contains("n") && values.numbers.count > 1)
            guard !withoutMoved || !mayMove else { return false }
            guard let filter = query.filter else { return true }
            return values.texts.allSatisfy { text in
                values.numbers.allSatisfy { filter.matches(Self.row(values.id ?? "", text, $0)) }
            }
        }
        return Set(matching.compactMap(\.id))
    }

    /// Whether a row may have been so at a time of the batch, and have matched.
    func mayHave(_ item: Item, _ query: Query) -> Bool {
        guard let values = rows[item.tag], values.id == nil || values.id == item.id else { return false }
        return values.texts.contains(item.s) && values.numbers.contains(item.n)
            && query.filter?.matches(Self.row(item.id ?? "", item.s, item.n)) ?? true
    }

    /// Whether a row has to be there at the end of the batch once its creation is acknowledged.
    func stays(_ tag: String) -> Bool { rows[tag]?.mayBeGone == false }

    /// Whether no other write of the batch is about a row that was changed once.
    func isChangedOnce(_ tag: String) -> Bool { stays(tag) && rows[tag]?.changes == 1 }

    private static func row(_ id: String, _ text: String, _ number: Int) -> Row {
        let text = String(decoding: Value.text(text).json, as: UTF8.self)
        return Row(id: .text(id), json: Array(#"{"s":\#(text),"n":\#(number)}"#.utf8)[...])
    }
}

extension Item {
    /// The item that a row holds; nil where it holds another thing.
    init?(_ row: Row) {
        guard case .text(let s) = row["s"], case .integer(let n) = row["n"], case .text(let tag) = row["tag"]
        else { return nil }
        self.init(id: row.id.description, s: s, n: Int(n), tag: tag)
    }
}
