import RemoteData

/// A write that waits for its turn.
struct PendingWrite: Sendable {
    let table: TableState
    /// The label whose rows are written; nil for all rows of the table.
    var label: String?
    var mutation: Mutation
    let rows: [Row]
    let key: String?
    /// The rights of who writes; nil for all rights.
    var access: RowAccess?
    /// Whether a row that is not here is removed on the server all the same.
    var isBlind = false
    /// What it said when it came, to know it by its key; nil without one.
    let request: UInt64?

    init(
        table: TableState,
        label: String? = nil,
        mutation: Mutation,
        rows: [Row],
        key: String?,
        access: RowAccess? = nil,
        isBlind: Bool = false
    ) {
        (self.table, self.label, self.mutation, self.rows, self.key) = (table, label, mutation, rows, key)
        (self.access, self.isBlind) = (access, isBlind)
        request = key == nil ? nil : mutation.fingerprint
    }
}
