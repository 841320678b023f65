public import RemoteData

/// How a table is kept in step with a server's.
public struct SyncOptions: Sendable {
    /// How often the server is asked what has changed, where it does not say so itself.
    public var rate = SyncRate.normal
    /// Which version counts of a row that was changed here and there.
    public var conflicts = ConflictPolicy.serverWins
    /// The row that a row belongs to: writes of it wait until that one is on the server, and it is removed with it.
    public var parent: Parent?
    /// Columns that hold ids of rows, besides the parent's: when such a row gets another id, they follow.
    public var references: [Reference] = []
    /// Whether rows are created on the server with the ids they have here.
    ///
    /// Where it is false, the server makes ids: the row gets its id here too, and whoever holds the old one finds it still. A creation
    /// whose answer is lost is then refused, unless the server makes it once by its key
    /// (`Capabilities.idempotency` or `idempotentCreation`), since it cannot be known whether it has arrived;
    /// one that never reached the server is sent again.
    public var sendsIDs = true
    /// Whether what the server has refused is still shown until it is discarded; otherwise the server's version is at once.
    public var showsRefused = false

    /// The defaults.
    public init() {}

    /// Which column holds the id of the row that a row belongs to.
    public struct Parent: Sendable, Hashable {
        /// The column.
        public let column: ColumnPath
        /// The table of the row it names.
        public let table: String
        /// Who removes the rows on the server that belong to one that is removed.
        public let cascade: Cascade

        /// A row belongs to the row of `table` whose id is in `column`.
        public init(_ column: ColumnPath, in table: String, cascade: Cascade = .server) {
            (self.column, self.table, self.cascade) = (column, table, cascade)
        }
    }

    /// Who removes the rows on the server that belong to one that is removed.
    ///
    /// In this store they go at once with a row that is removed in it, and otherwise when the server reports
    /// it.
    public enum Cascade: Sendable, Hashable {
        /// The server does.
        case server
        /// Their removals are sent once the server has agreed to that of the row they belong to.
        case client
    }

    /// A column that holds an id of another row, or a list of ids.
    public struct Reference: Sendable, Hashable {
        /// The column.
        public let column: ColumnPath
        /// The table of the rows it names.
        public let table: String

        /// `column` holds ids of rows of `table`.
        public init(_ column: ColumnPath, in table: String) {
            (self.column, self.table) = (column, table)
        }
    }
}
