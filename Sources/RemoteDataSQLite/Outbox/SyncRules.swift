import RemoteData

/// What is declared of the tables whose writes travel to a server.
struct SyncRules: Sendable {
    /// What is declared of one table.
    struct Rule: Sendable {
        /// Whether it is held whole, so that rows stay that the server has.
        var isHeldWhole = false
        /// The row that a row belongs to.
        var parent: SyncOptions.Parent?
        /// Columns that hold ids of other tables' rows, by the table.
        var references: [SyncOptions.Reference] = []
        /// Whether a refused write is still seen, until it is discarded.
        var showsRefused = false
        /// Whether rows are created with the ids they have here.
        var sendsIDs = true
        var conflicts = ConflictPolicy.serverWins
    }

    private var rules: [String: Rule] = [:]
    /// The tables whose rows belong to a table's.
    private var children: [String: [String]] = [:]

    subscript(table: String) -> Rule {
        get { rules[table] ?? Rule() }
        set {
            rules[table] = newValue
            children = [:]
            for (name, rule) in rules.sorted(by: { $0.key < $1.key }) {
                if let parent = rule.parent { children[parent.table, default: []].append(name) }
            }
        }
    }

    /// The tables whose rows belong to a table's, with the columns that say to which.
    func children(of table: String) -> [(table: String, column: ColumnPath)] {
        (children[table] ?? []).compactMap { name in rules[name]?.parent.map { (name, $0.column) } }
    }

    /// The columns of other tables that hold ids of a table's rows.
    func references(to table: String) -> [(table: String, column: ColumnPath)] {
        rules.sorted { $0.key < $1.key }
            .flatMap { name, rule in
                let parent = rule.parent.map { [($0.table, $0.column)] } ?? []
                let all = parent + rule.references.map { ($0.table, $0.column) }
                return all.filter { $0.0 == table }.map { (name, $0.1) }
            }
    }

    /// The row that a row belongs to.
    func parent(of row: Row?, in table: String) -> RowPlace? {
        guard let row, let parent = rules[table]?.parent else { return nil }
        return RowID(row[parent.column]).map { RowPlace(table: parent.table, id: $0) }
    }
}
