import RemoteData

/// A damaged file, from which is read what can be.
///
/// SQLite stops a query at the first page that it cannot read. So tables are read from both ends, and rows that are known by
/// their ids one by one.
struct DamagedStore {
    private let connection: Connection
    /// The tables by their numbers.
    private let tables: [Int64: String]
    private let labels: [Int64: String]

    /// Opens a file; throws when not even its beginning can be read.
    init(path: String, key: EncryptionKey?) throws(RemoteDataError) {
        connection = try Connection(path: path, key: key, isReader: true)
        var (tables, labels) = ([Int64: String](), [Int64: String]())
        Self.readAll(connection, "SELECT number, name FROM tables", by: ["number"]) { row in
            tables[row.integer(0)] = row.text(1)
        }
        Self.readAll(connection, "SELECT number, name FROM labels", by: ["number"]) { row in
            labels[row.integer(0)] = row.text(1)
        }
        (self.tables, self.labels) = (tables, labels)
    }

    /// A row that a label holds.
    struct Pin: Hashable, Sendable {
        let label: String
        let place: RowPlace
    }

    /// What the labels hold, and whether it was pinned by name.
    var pins: [Pin: Bool] {
        var pins: [Pin: Bool] = [:]
        let sql = "SELECT label, tableNumber, id, isRoot FROM pins"
        Self.readAll(connection, sql, by: ["label", "tableNumber", "id"]) { row in
            guard let table = tables[row.integer(1)] else { return }
            // A label whose name cannot be read still holds its rows.
            let label = labels[row.integer(0)] ?? "rescued \(row.integer(0))"
            let place = RowPlace(table: table, id: row.id(2))
            pins[Pin(label: label, place: place)] = row.integer(3) != 0
        }
        return pins
    }

    /// The row at a place, if it can be read.
    func row(_ place: RowPlace) -> Row? {
        guard let table = tables.first(where: { $0.value == place.table })?.key else { return nil }
        return try? connection.first("SELECT json FROM t\(table) WHERE id = ?", [Binding(place.id)]) { row in
            Row(id: place.id, json: row.bytes(0)[...])
        }
    }

    /// Every row that was written here and came from no server, by table.
    var ownRows: [String: [Row]] {
        var rows: [String: [Row]] = [:]
        for (number, name) in tables {
            var own: [RowID: Row] = [:]
            let sql = "SELECT id, json FROM t\(number) WHERE used IS NULL"
            Self.readAll(connection, sql, by: ["id"]) { row in
                own[row.id(0)] = Row(id: row.id(0), json: row.bytes(1)[...])
            }
            if !own.isEmpty { rows[name] = Array(own.values) }
        }
        return rows
    }

    /// What was written here and a server has not agreed to, and what the server had of it.
    var outbox: RescuedOutbox {
        var outbox = RescuedOutbox()
        outbox.entries = rows(of: "outbox", RescuedOutbox.entryColumns, where: "state < 3", by: "number")
        outbox.bases = rows(of: "bases", RescuedOutbox.baseColumns, by: "tableNumber", "id")
        outbox.aliases = rows(of: "aliases", RescuedOutbox.aliasColumns, by: "tableNumber", "id")
        outbox.settings = rows(of: "settings", ["name", "value"], where: "name <> 'relations'", by: "name")
        outbox.tables = tables
        // A file of an earlier version has none.
        Self.readAll(connection, "SELECT number, epoch FROM tables", by: ["number"]) { row in
            outbox.epochs[row.integer(0)] = row.epoch(1)
        }
        for sql in ["SELECT max(revision) FROM tables", "SELECT max(revision) FROM store"] {
            let last = try? connection.first(sql) { $0.integer(0) }
            outbox.lastNumber = max(outbox.lastNumber, last ?? 0)
        }
        return outbox
    }

    private func rows(
        of table: String,
        _ columns: [String],
        where condition: String = "1",
        by key: String...
    ) -> [[Binding]] {
        var (rows, seen) = ([[Binding]](), Set<[RowID]>())
        // What is read from both ends may be read twice.
        let places = key.compactMap { columns.firstIndex(of: $0).map { Int32($0) } }
        let sql = "SELECT \(columns.joined(separator: ",")) FROM \(table) WHERE \(condition)"
        Self.readAll(connection, sql, by: key) { row in
            guard seen.insert(places.map { row.id($0) }).inserted else { return }
            rows.append(columns.indices.map { Binding(row, Int32($0)) })
        }
        return rows
    }

    /// Reads from one end as far as it goes, and then from the other end.
    private static func readAll(
        _ connection: Connection,
        _ sql: String,
        by columns: [String],
        take: (Statement) -> Void
    ) {
        let backward = columns.map { $0 + " DESC" }.joined(separator: ",")
        for order in [columns.joined(separator: ","), backward] {
            let isWhole: ()? = try? connection.query("\(sql) ORDER BY \(order)") { take($0) }
            if isWhole != nil { return }
        }
    }
}
