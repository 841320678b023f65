import Synchronization

/// Tables in memory that share their revisions, such as those of a server that keeps nothing.
public final class MemoryTableStore: TableStore {
    private let tables = Mutex(TableRegistry<MemoryTable> { !$0.hasHadRows && !$0.hub.isListenedTo })
    private let revisions: RevisionSource
    private let idColumn: String
    private let dates: DateConvention
    private let logCapacity: Int
    private let makeID: @Sendable () -> RowID

    /// How many tables a store can have.
    public static let tableLimit = TableRegistry<MemoryTable>.limit

    /// Creates a store without tables.
    ///
    /// - Parameters:
    ///   - idColumn: The column that holds a row's id, in every table.
    ///   - dates: How dates are written in rows.
    ///   - logCapacity: How many changes of each table can be resumed from.
    ///   - epoch: The history that the revisions belong to: a new one for each store.
    ///   - makeID: Makes the ids of rows that come without one.
    public init(
        idColumn: String = "objectId",
        dates: DateConvention = .epochMilliseconds,
        logCapacity: Int = 100_000,
        epoch: Epoch = .random(),
        makeID: @escaping @Sendable () -> RowID = { RowID.random() }
    ) {
        revisions = RevisionSource(epoch: epoch)
        self.idColumn = idColumn
        self.dates = dates
        self.logCapacity = logCapacity
        self.makeID = makeID
    }

    /// The table of a name; nil when it never had a row and is not to be made.
    public func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)? {
        let result = tables.withLock { tables in
            Result { () throws(RemoteDataError) -> MemoryTable? in
                if let table = tables[name] { return creating || table.hasHadRows ? table : nil }
                guard creating else { return nil }
                return try tables.entry(name) { newTable(name) }
            }
        }
        return try result.get().map { table in
            SubQueryTable(table) { (name, creating) throws(RemoteDataError) in
                try await self.table(name, creating: creating)
            }
        }
    }

    /// The names of the tables that have had a row, sorted.
    public func tableNames() async throws(RemoteDataError) -> [String] {
        tables.withLock { $0.all }.filter(\.hasHadRows).map(\.name).sorted()
    }

    private func newTable(_ name: String) -> MemoryTable {
        MemoryTable(
            name,
            idColumn: idColumn,
            dates: dates,
            logCapacity: logCapacity,
            revisions: revisions,
            delivery: .queued,
            makeID: makeID
        )
    }
}

extension MemoryTable {
    /// Whether anything was ever written; the only change an untouched table knows is none.
    var hasHadRows: Bool { state.withLock { $0.revision.rawValue > 0 } }
}
