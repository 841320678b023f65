import RemoteData

/// The rows of a table inside a transaction that writes them.
struct SQLiteRows: RowStorage {
    /// What is known of the table; nil until its first row.
    private(set) var info: TableInfo?
    /// What is noted of rows that are written; nil leaves it as it was, and to a new row that it was written here.
    var mark: RowMark?
    private let connection: Connection
    private let name: String
    private let idColumn: String
    private var insertion: Statement?

    init(_ info: TableInfo?, name: String, idColumn: String, _ connection: Connection) {
        self.info = info
        self.name = name
        self.idColumn = idColumn
        self.connection = connection
    }

    func row(_ id: RowID) throws(RemoteDataError) -> Row? {
        guard let info else { return nil }
        return try connection.first("SELECT revision,json FROM t\(info.number) WHERE id = ?", [Binding(id)]) {
            row in
            Row(id: id, revision: row.revision(0), json: row.bytes(1)[...])
        }
    }

    func rows(matching filter: Where?, limit: Int, bytes: Int) throws(RemoteDataError) -> [Row] {
        try rows(matching: filter, and: nil, limit: limit, bytes: bytes)
    }

    /// The rows that match, and of which something else is true as well, up to a number.
    func rows(
        matching filter: Where?,
        and condition: SQLFragment?,
        limit: Int = .max,
        bytes: Int = .max
    ) throws(RemoteDataError) -> [Row] {
        guard let info else { return [] }
        var (rows, size): ([Row], Int) = ([], 0)
        let all = QuerySQL(Query(filter), table: info.number, idColumn: idColumn, condition).all
        let query = all + SQLFragment(" LIMIT ?", [Binding(limit)])
        try connection.query(query.sql, query.bindings) { row in
            guard size <= bytes else { return }
            let row = Self.row(row)
            rows.append(row)
            size += row.json.count
        }
        return rows
    }

    mutating func put(_ row: Row, replacing before: Row?) throws(RemoteDataError) {
        let info = try existing()
        var values: [Binding] = [row.revision.map { Binding($0) } ?? .null, .utf8(row.json), Binding(row.id)]
        if let mark { values.append(mark.binding) }
        let (columns, places, used) = mark == nil ? ("", "", "") : (",used", ",?", ", used = ?4")
        if before == nil {
            try connection.run(
                "INSERT INTO t\(info.number) (revision,json,id\(columns)) VALUES (?,?,?\(places))",
                values
            )
        } else {
            try connection.run(
                "UPDATE t\(info.number) SET revision = ?1, json = ?2\(used) WHERE id = ?3",
                values
            )
        }
        try note(row, replacing: before)
    }

    /// Stores a row that comes from elsewhere, with what is to be kept of where it comes from.
    mutating func put(
        _ row: Row,
        replacing before: Row?,
        mark: RowMark,
        _ version: ServerVersion
    ) throws(RemoteDataError) {
        let info = try existing()
        try connection.run(
            "INSERT OR REPLACE INTO t\(info.number) (id,revision,json,serverRevision,used) VALUES (?,?,?,?,?)",
            values(row, version, mark)
        )
        try note(row, replacing: before)
    }

    /// Stores such a row where there is none with its id.
    ///
    /// - Returns: Whether there was none.
    mutating func insert(
        _ row: Row,
        _ version: ServerVersion,
        _ mark: RowMark
    ) throws(RemoteDataError) -> Bool {
        let statement = try inserting()
        try statement.set(1, Binding(row.id))
        try statement.set(2, row.revision.map { Binding($0) } ?? .null)
        try statement.set(4, version.binding)
        try statement.set(5, mark.binding)
        try statement.run(with: row.json, at: 3)
        guard connection.changeCount > 0 else { return false }
        try note(row, replacing: nil)
        return true
    }

    /// The statement that inserts a row where there is none, looked up once for many rows.
    private mutating func inserting() throws(RemoteDataError) -> Statement {
        if let insertion { return insertion }
        let number = try existing().number
        let statement = try connection.statement(
            "INSERT OR IGNORE INTO t\(number) (id,revision,json,serverRevision,used) VALUES (?,?,?,?,?)"
        )
        insertion = statement
        return statement
    }

    /// Notes that a row is as it was as of a revision, and why it is here.
    func confirm(_ row: Row, _ version: ServerVersion, _ mark: RowMark) throws(RemoteDataError) {
        guard let info else { return }
        try connection.run(
            "UPDATE t\(info.number) SET serverRevision = ?, used = ? WHERE id = ?",
            [version.binding, mark.binding, Binding(row.id)]
        )
    }

    /// A row with where it comes from.
    struct Known {
        let row: Row
        let version: ServerVersion
        let mark: RowMark
    }

    /// The row with an id, with where it comes from.
    func known(_ id: RowID) throws(RemoteDataError) -> Known? {
        guard let info else { return nil }
        return try connection.first(
            "SELECT revision,json,serverRevision,used FROM t\(info.number) WHERE id = ?",
            [Binding(id)]
        ) { row in
            Known(
                row: Row(id: id, revision: row.revision(0), json: row.bytes(1)[...]),
                version: ServerVersion(row, 2, info.serverEpoch),
                mark: RowMark(row, 3)
            )
        }
    }

    private func values(_ row: Row, _ version: ServerVersion, _ mark: RowMark) -> [Binding] {
        let revision = row.revision.map { Binding($0) } ?? .null
        return [Binding(row.id), revision, .utf8(row.json), version.binding, mark.binding]
    }

    private mutating func note(_ row: Row, replacing before: Row?) throws(RemoteDataError) {
        guard var info = info.take() else { return }
        defer { self.info = info }
        if before == nil { info.rows += 1 }
        for column in info.columns.insert(columnsOf: row) {
            try connection.run(
                "INSERT INTO columns (tableNumber,path) VALUES (?,?)",
                [.integer(info.number), .text(column.description)]
            )
        }
    }

    mutating func remove(_ row: Row) throws(RemoteDataError) {
        guard let info else { return }
        try connection.run("DELETE FROM t\(info.number) WHERE id = ?", [Binding(row.id)])
        self.info?.rows -= 1
    }

    mutating func removeAll(
        _ predicate: Where?,
        counting filters: Set<Where>
    ) throws(RemoteDataError) -> (count: Int, counts: [Where: Int]) {
        guard let info else { return (0, [:]) }
        let counts = try self.counts(of: filters, in: predicate, info)
        let rows = info.rows
        guard let predicate else {
            try connection.run("DELETE FROM t\(info.number)")
            self.info?.rows = 0
            return (rows, counts)
        }
        let clause = WhereSQL(idColumn: idColumn).filter(predicate)
        try connection.run("DELETE FROM t\(info.number) WHERE \(clause.sql)", clause.bindings)
        let count = connection.changeCount
        self.info?.rows -= count
        return (count, counts)
    }

    /// How many rows that match a predicate also match each filter: one pass, a row at a time.
    private func counts(
        of filters: Set<Where>,
        in predicate: Where?,
        _ info: TableInfo
    ) throws(RemoteDataError) -> [Where: Int] {
        guard !filters.isEmpty else { return [:] }
        var counts = FilterCounts(filters)
        let query = QuerySQL(Query(predicate), table: info.number, idColumn: idColumn).all
        try connection.query(query.sql, query.bindings) { row in counts.add(Self.row(row)) }
        return counts.counts
    }

    private static func row(_ row: Statement) -> Row {
        Row(id: row.id(0), revision: row.revision(1), json: row.bytes(2)[...])
    }

    /// The table, made if it is not there.
    private mutating func existing() throws(RemoteDataError) -> TableInfo {
        if let info { return info }
        let made = try TableInfo.create(name, connection)
        info = made
        return made
    }
}
