/// A table that keeps to somebody's rights where its rows and its log are, so that nothing comes between a check and what it
/// allows.
package protocol GuardedTable: Table {
    /// The table as somebody with these rights may see and change it.
    ///
    /// O(1). Columns are not checked: a refusal would tell of rows that may not be seen.
    func guarded(by access: RowAccess) -> any Table
}
