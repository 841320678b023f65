/// A piece of SQL with the values of its parameters in order.
struct SQLFragment: Sendable {
    var sql: String
    var bindings: [Binding]

    init(_ sql: String, _ bindings: [Binding] = []) {
        self.sql = sql
        self.bindings = bindings
    }

    static func + (left: SQLFragment, right: SQLFragment) -> SQLFragment {
        SQLFragment(left.sql + right.sql, left.bindings + right.bindings)
    }

    static func joined(_ parts: [SQLFragment], by separator: String) -> SQLFragment {
        SQLFragment(parts.map(\.sql).joined(separator: separator), parts.flatMap(\.bindings))
    }
}
