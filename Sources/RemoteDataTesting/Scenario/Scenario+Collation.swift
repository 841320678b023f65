import RemoteData

extension Scenario {
    /// The orders of text that a table may have, by name: what texts are sorted by.
    static let orders: [String: @Sendable (String) -> String] = [
        "bytes": { $0 }, "nocase": { $0.lowercased() }, "backwards": { String($0.reversed()) },
    ]

    /// What ``TableSetup/collation`` may be.
    public static var collations: [String] { orders.keys.sorted() }
}

extension Scenario.TableSetup {
    /// A table in the order that is asked for.
    func ordered(_ table: MemoryTable) -> any Table {
        guard let order = collation.flatMap({ Scenario.orders[$0] }) else { return table }
        return CollatedTable(table, collation: order)
    }
}
