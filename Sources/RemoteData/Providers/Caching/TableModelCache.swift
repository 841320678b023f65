public import Foundation

/// A cache in two tables: one of models, one of lists; for models that outlast the program in tables of a `LocalStore`.
///
/// ```swift
/// let store = try await LocalStore(path: "app.sqlite")
/// let cache = TableModelCache(models: try store.table("models"), lists: try store.table("lists"))
/// let space = ModelSpace(cache: cache)
/// ```
///
/// A model is the column `model` of the row with its id, so that queries and clauses reach what is in it (`model.name = 'Ada'`).
public struct TableModelCache: ModelCache {
    private let models: any Table
    private let lists: any Table

    /// How many rows are written or read at once.
    private var batchSize: Int {
        min(500, models.capabilities.maximumBulkSize, models.capabilities.maximumPageSize)
    }

    private static var modelColumn: String { "model" }

    /// A row of the table of lists; its elements are an id behind a sign, or JSON.
    private struct ListRow: Codable {
        static let column = "elements"
        var elements: [String]

        static func element(_ id: ModelID) -> String { "=\(id.key)" }
    }

    /// Creates a cache in two tables that nobody else writes to.
    public init(models: any Table, lists: any Table) {
        self.models = models
        self.lists = lists
    }

    /// The model with an id.
    ///
    /// - Throws: ``RemoteDataError``: what the table throws.
    public func model(_ id: ModelID) async throws -> Data? {
        try await models.row(.text(id.key)).flatMap(Self.model)
    }

    /// The models of a list, as many at a time as a table answers well.
    ///
    /// - Throws: ``RemoteDataError``: what the tables throw.
    public func list(_ key: String) async throws -> [Data]? {
        guard let row = try await lists.row(.text(key)) else { return nil }
        let elements = try JSONDecoder().decode(ListRow.self, from: Data(row.json)).elements
        var found: [String: Data] = [:]
        let ids = Array(Set(elements.filter { $0.hasPrefix("=") }.map { String($0.dropFirst()) }))
        for start in stride(from: 0, to: ids.count, by: batchSize) {
            let some = ids[start..<min(ids.count, start + batchSize)]
            let clause = Where.isIn(.column(ColumnPath(models.idColumn)), some.map { .literal(.text($0)) })
            let page = try await models.page(PageRequest(Query(clause), limit: batchSize))
            for row in page.rows { found[row.id.description] = Self.model(row) }
        }
        return elements.compactMap { element in
            element.hasPrefix("=") ? found[String(element.dropFirst())] : Data(element.utf8)
        }
    }

    /// Writes rows, as many at a time as a table takes well; each of these all or nothing.
    ///
    /// - Throws: ``RemoteDataError``: what the tables throw.
    public func write(_ changes: [ModelCacheChange]) async throws {
        var drafts: [Draft] = []
        for change in changes {
            switch change {
            case .model(let id, let data):
                drafts.append(try modelDraft(id, data))
                if drafts.count == batchSize { try await flush(&drafts) }
            case .deleteModel(let id):
                try await flush(&drafts)
                try await delete(id)
                try await leaveLists(id)
            case .list(let key, let elements):
                try await flush(&drafts)
                _ = try await lists.commit(.upsert([listDraft(key, elements)]), idempotencyKey: nil)
            }
        }
        try await flush(&drafts)
    }
}

extension TableModelCache {
    private static func model(_ row: Row) -> Data? {
        guard case .json(let text) = row[ColumnPath(modelColumn)] else { return nil }
        return Data(text.utf8)
    }

    private func flush(_ drafts: inout [Draft]) async throws {
        guard !drafts.isEmpty else { return }
        defer { drafts = [] }
        _ = try await models.commit(.upsert(drafts), idempotencyKey: nil)
    }

    private func delete(_ id: ModelID) async throws(RemoteDataError) {
        do throws(RemoteDataError) {
            _ = try await models.commit(.delete(.text(id.key)), idempotencyKey: nil)
        } catch {
            guard error.code == .notFound else { throw error }
        }
    }

    private func modelDraft(_ id: ModelID, _ data: Data) throws -> Draft {
        var json = Data("{\"\(models.idColumn)\":".utf8)
        json += try JSONEncoder().encode(id.key)
        json += Data(",\"\(Self.modelColumn)\":".utf8)
        json += data
        json += Data("}".utf8)
        return try Draft(ArraySlice(json), idColumn: models.idColumn)
    }

    private func listDraft(_ key: String, _ elements: [CachedElement]) throws -> Draft {
        let texts = elements.map { element in
            switch element {
            case .model(let id): ListRow.element(id)
            case .data(let data): String(decoding: data, as: UTF8.self)
            }
        }
        return try listDraft(key, ListRow(elements: texts))
    }

    private func listDraft(_ key: String, _ row: ListRow) throws -> Draft {
        var json = Data("{\"\(lists.idColumn)\":".utf8)
        json += try JSONEncoder().encode(key)
        json += Data(",".utf8)
        // Without the brace that begins it.
        json += try JSONEncoder().encode(row).dropFirst()
        return try Draft(ArraySlice(json), idColumn: lists.idColumn)
    }

    /// Takes a model out of all lists that have it.
    private func leaveLists(_ id: ModelID) async throws {
        let element = ListRow.element(id)
        let clause = Where.contains(ColumnPath(ListRow.column), any: [.text(element)])
        // Each that is written is not found again.
        while true {
            let page = try await lists.page(PageRequest(Query(clause)))
            if page.rows.isEmpty { return }
            for found in page.rows {
                var row = try JSONDecoder().decode(ListRow.self, from: Data(found.json))
                row.elements.removeAll { $0 == element }
                _ = try await lists.commit(
                    .upsert([listDraft(found.id.description, row)]),
                    idempotencyKey: nil
                )
            }
        }
    }
}
