public import RemoteData

/// An import that began and has not come to its end: its table holds only a part of the file's rows.
///
/// It is a row in a table of the store's own, whose name no request can say, written before the first row of
/// the file and removed behind the last one. So it is as durable as the rows, and there whatever ended the
/// import.
public struct UnfinishedImport: Sendable, Hashable {
    /// The table that was written.
    public let table: String
    /// The file's name, without its folder.
    public let file: String
    /// The ids its rows were given.
    let ids: ImportedIDs

    init(table: String, file: String, ids: ImportedIDs) {
        self.table = table
        self.file = file
        self.ids = ids
    }

    /// Every unfinished import of a store, in the order of the tables.
    ///
    /// - Throws: `RemoteDataError` when the store cannot be read.
    public static func all(in store: any TableStore) async throws(RemoteDataError) -> [UnfinishedImport] {
        guard let marks = try await store.table(tableName, creating: false) else { return [] }
        return try await marks.page(PageRequest(Query(), limit: 1_000)).rows.compactMap { Self($0) }
    }
}

// MARK: The mark

extension UnfinishedImport {
    /// A control character is in no name that a request can say.
    private static let tableName = "\u{1}unfinished imports"
    private static let fileColumn = ColumnPath("file")
    private static let idsColumn = ColumnPath("ids")

    private init?(_ row: Row) {
        guard case .text(let table) = row.id, case .text(let file) = row[Self.fileColumn],
            case .text(let ids) = row[Self.idsColumn], let ids = ImportedIDs(prefix: ids)
        else { return nil }
        self.init(table: table, file: file, ids: ids)
    }

    /// The unfinished import into a table, if there is one.
    static func of(_ table: String, in store: any TableStore) async throws(RemoteDataError)
        -> UnfinishedImport?
    {
        guard let marks = try await store.table(tableName, creating: false) else { return nil }
        return try await marks.row(.text(table)).flatMap { Self($0) }
    }

    /// Remembers that the import begins, in place of an earlier one into the table.
    func save(in store: any TableStore) async throws {
        guard let marks = try await store.table(Self.tableName, creating: true) else {
            throw TableServerError(.system, "The store takes no table that remembers the import.")
        }
        var text = JSONText()
        text.member(escaping: marks.idColumn, json: JSONObject.quoted(table))
        text.member("file", json: JSONObject.quoted(file))
        text.member("ids", json: JSONObject.quoted(ids.prefix))
        _ = try await marks.commit(.upsert([try Draft(text.closed[...], idColumn: marks.idColumn)]))
    }

    /// Forgets the import: it has come to its end.
    func forget(in store: any TableStore) async throws {
        _ = try await store.table(Self.tableName, creating: false)?.commit(.delete(.text(table)))
    }

    /// Removes the rows the import gave ids to, and no others.
    func takeOut(of table: any Table) async throws(RemoteDataError) {
        do throws(RemoteDataError) {
            _ = try await table.commit(.deleteAll(try ids.clause(idColumn: table.idColumn)))
        } catch {
            // It had not come as far as its first row: there is no table yet, or no column in it.
            guard error.code == .notFound || error.code == .unknownColumn else { throw error }
        }
    }
}
