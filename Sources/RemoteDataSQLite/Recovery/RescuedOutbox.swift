import RemoteData

/// What was written into a damaged file and a server has not agreed to, column by column.
struct RescuedOutbox: Sendable {
    static let entryColumns = [
        "number", "tableNumber", "id", "kind", "body", "key", "batch", "state", "attempts", "due",
        "isOutdated", "before",
        "beforeRevision", "parentTable", "parent", "time", "error",
    ]
    static let baseColumns = ["tableNumber", "id", "json", "serverRevision", "used", "hiddenBy"]
    static let aliasColumns = ["tableNumber", "id", "now"]

    var entries: [[Binding]] = []
    var bases: [[Binding]] = []
    var aliases: [[Binding]] = []
    var settings: [[Binding]] = []
    var tables: [Int64: String] = [:]
    /// The epochs of the revisions of servers, by the numbers of the tables.
    var epochs: [Int64: Epoch] = [:]
    /// A number that no write had a greater one than.
    var lastNumber: Int64 = 0
}

extension StoreTransaction {
    /// Puts into a new file what was rescued of the outbox.
    ///
    /// - Returns: How many writes.
    mutating func take(_ outbox: RescuedOutbox) throws(RemoteDataError) -> Int {
        var numbers: [Int64: Int64] = [:]
        for (number, name) in outbox.tables {
            numbers[number] = try table(name).number
            // The table is new: nothing is kept of it yet.
            if let epoch = outbox.epochs[number] { try enter(Revision(0, epoch: epoch), of: name) }
        }
        func copy(_ row: [Binding], _ columns: [String], to table: String) throws(RemoteDataError) -> Bool {
            var row = row
            for (index, column) in columns.enumerated()
            where column == "tableNumber" || column == "parentTable" {
                guard case .integer(let number) = row[index] else { continue }
                guard let new = numbers[number] else { return false }
                row[index] = .integer(new)
            }
            let marks = columns.map { _ in "?" }.joined(separator: ",")
            try connection.run(
                "INSERT OR REPLACE INTO \(table) (\(columns.joined(separator: ","))) VALUES (\(marks))",
                row
            )
            return true
        }
        for row in outbox.settings { _ = try copy(row, ["name", "value"], to: "settings") }
        for row in outbox.aliases { _ = try copy(row, RescuedOutbox.aliasColumns, to: "aliases") }
        for row in outbox.bases { _ = try copy(row, RescuedOutbox.baseColumns, to: "bases") }
        var count = 0
        for row in outbox.entries where try copy(row, RescuedOutbox.entryColumns, to: "outbox") { count += 1 }
        count -= try dropUnreadable()
        let last = try connection.first("SELECT max(number) FROM outbox") { $0.integer(0) } ?? 0
        let number = max(last, outbox.lastNumber)
        catalog.revision = max(catalog.revision, Revision(number, epoch: connection.epoch))
        catalog.lastWrite = catalog.revision.rawValue
        try showRescued()
        return count
    }

    /// Takes away writes whose contents came out of the damaged file as something else than an object.
    private func dropUnreadable() throws(RemoteDataError) -> Int {
        var unreadable: [Int64] = []
        for entry in try entries("1", []) where entry.change.kind != .delete {
            if (try? JSONObject.members(of: entry.change.body)) == nil { unreadable.append(entry.number) }
        }
        for number in unreadable { try deleteEntry(number) }
        return unreadable.count
    }

    /// Shows the rows with what was written of them, and finds out what waits for what.
    private mutating func showRescued() throws(RemoteDataError) {
        var places: [RowPlace] = []
        try connection.query(
            """
            SELECT name, id FROM tables JOIN (SELECT tableNumber, id FROM outbox UNION SELECT tableNumber, id FROM bases)
                ON tableNumber = number
            """
        ) { places.append(RowPlace(table: $0.text(0), id: $0.id(1))) }
        for place in places { try overlay(place) }
        for entry in try entries("state = 0", []) { try findBlocker(of: entry.number) }
    }
}

extension Binding {
    /// What a column holds: null, text or an integer.
    init(_ row: Statement, _ column: Int32) {
        self =
            row.isNull(column)
            ? .null : row.isText(column) ? .text(row.text(column)) : .integer(row.integer(column))
    }
}
