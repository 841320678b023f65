import RemoteData

extension Scenario.TableSetup {
    /// A table in the order that is asked for.
    func ordered(_ table: MemoryTable) -> any Table {
        switch collation {
        case "nocase": return CollatedTable(table)
        case "backwards": return CollatedTable(table) { String($0.reversed()) }
        default: return table
        }
    }
}
