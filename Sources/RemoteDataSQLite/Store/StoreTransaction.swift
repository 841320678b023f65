import Foundation
import RemoteData

/// A transaction of the one connection that writes: the state of the file as it leaves it, and what is to be told of it once
/// it is committed.
///
/// A value: a copy made before a savepoint is the way back.
struct StoreTransaction {
    let connection: Connection
    let idColumn: String
    let relations: Relations
    /// How many changes of all tables are kept, and how many bytes of them.
    let logCapacity: (changes: Int, bytes: Int)
    let now: Date
    /// Everything known of the file, as of this point of the transaction.
    var catalog: Catalog
    /// Whether anybody is to be told of changes of a table.
    let isListenedTo: (String) -> Bool
    /// Whether anybody is to be told of changes of a table as lists of rows.
    let isWatched: (String) -> Bool
    /// The label that is told of a removal as a whole, and so not of each row.
    var silentLabel: String?
    /// What is declared of tables whose writes travel to a server.
    var rules: SyncRules
    /// Makes the idempotency keys of writes.
    let makeKey: @Sendable () -> String
    /// Whether what happens is the work of a server.
    var isOfServer = false
    /// Whether what happens comes of another row's removal.
    var isCascading = false
    /// What is to be told, in the order it happened.
    private(set) var news: [News] = []
    /// The tables whose number of rows or revision is to be stored.
    var changedTables: Set<String> = []
    /// Rows of which something that belongs to them was changed.
    var touched = Touched()
    /// What has become of the outbox.
    var outboxNews = OutboxNews()

    init(
        _ connection: Connection,
        _ plan: StorePlan,
        rules: SyncRules,
        catalog: Catalog,
        isListenedTo: @escaping (String) -> Bool,
        isWatched: @escaping (String) -> Bool
    ) {
        (self.isListenedTo, self.isWatched) = (isListenedTo, isWatched)
        self.connection = connection
        (idColumn, relations, logCapacity) = (plan.idColumn, plan.relations, plan.logCapacity)
        (self.rules, makeKey) = (rules, plan.makeKey)
        now = plan.now()
        self.catalog = catalog
    }

    /// Changes that concern the subscriptions of one table.
    struct News: Sendable {
        /// Whose changes they are.
        enum Audience: Hashable, Sendable {
            /// The table of a name.
            case table(String)
            /// The rows of a table that a label holds.
            case label(LabelledTable)
        }

        let audience: Audience
        /// Whether they are the work of a server.
        let isOfServer: Bool
        /// Whether they come of another row's removal.
        let isCascading: Bool
        var changes: [RowChange]

        fileprivate func isLike(_ other: News) -> Bool {
            audience == other.audience && isOfServer == other.isOfServer && isCascading == other.isCascading
        }
    }

    mutating func tell(_ changes: [RowChange], _ audience: News.Audience) {
        let new = News(
            audience: audience,
            isOfServer: isOfServer,
            isCascading: isCascading,
            changes: changes
        )
        if let last = news.indices.last, news[last].isLike(new) {
            news[last].changes += changes
        } else {
            news.append(new)
        }
    }

    /// A revision that nothing else has.
    mutating func nextRevision() -> Revision {
        catalog.revision = catalog.revision.next
        return catalog.revision
    }

    /// The table of a name, made if it is not there.
    mutating func table(_ name: String) throws(RemoteDataError) -> TableInfo {
        if let info = catalog.tables[name] { return info }
        let info = try TableInfo.create(name, connection)
        catalog.tables[name] = info
        return info
    }
}

extension Connection {
    /// Something noted of the file as a whole.
    func setting(_ name: String) throws(RemoteDataError) -> String? {
        try first("SELECT value FROM settings WHERE name = ?", [.text(name)]) { $0.text(0) }
    }

    /// Notes something of the file as a whole; nil forgets it.
    func set(_ name: String, _ value: String?) throws(RemoteDataError) {
        if let value {
            try run("INSERT OR REPLACE INTO settings VALUES (?,?)", [.text(name), .text(value)])
        } else {
            try run("DELETE FROM settings WHERE name = ?", [.text(name)])
        }
    }
}

/// The rows of a table that a label holds.
struct LabelledTable: Hashable, Sendable {
    let label: String
    let table: String
}

extension TableInfo {
    /// Makes a table without rows.
    static func create(_ name: String, _ connection: Connection) throws(RemoteDataError) -> TableInfo {
        let last = try connection.first("SELECT max(number) FROM tables") { $0.integer(0) } ?? 0
        let number = last + 1
        try connection.run(
            "INSERT INTO tables (number,name,revision,rows) VALUES (?,?,0,0)",
            [.integer(number), .text(name)]
        )
        try connection.execute(Schema.createTable(number))
        return TableInfo(number: number, revision: connection.firstRevision, rows: 0, columns: ColumnSet())
    }
}
