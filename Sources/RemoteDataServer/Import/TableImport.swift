public import Foundation
public import RemoteData

/// Brings the rows of a CSV or JSON file into a table.
///
/// A file is read twice, a part at a time: once to see whether it is right as a whole, so that a bad one
/// changes nothing, and once to write it, in mutations of 1,000 rows. Whatever ends an import in between, the
/// store remembers it as an ``UnfinishedImport``, and the next one into the table begins anew.
public struct TableImport: Sendable, Hashable {
    /// The file: `.json`, `.jsonl` or `.ndjson` holds a JSON array of objects or one object after another,
    /// anything else CSV with a header.
    public let file: URL
    /// The table.
    public let table: String
    /// The column whose value becomes the row's id; nil when the rows bring an id of their own or are to get
    /// one.
    public let idColumn: String?

    /// Plans an import.
    ///
    /// - Parameters:
    ///   - file: The file to read.
    ///   - table: The table to write; nil for the file's name without its extension.
    ///   - idColumn: The column whose value becomes the row's id.
    public init(_ file: URL, into table: String? = nil, idColumn: String? = nil) {
        self.file = file
        self.table = table ?? file.deletingPathExtension().lastPathComponent
        self.idColumn = idColumn
    }

    /// What an import did.
    public struct Report: Sendable, Hashable {
        /// How many rows were written.
        public internal(set) var rows = 0
        /// How many of them took the place of an earlier row of the file with the same id.
        public internal(set) var repeatedIDs = 0
        /// Whether nothing was written because the table has rows and nothing says which of the file's are
        /// the same.
        public internal(set) var wasSkipped = false
        /// Whether an earlier import into the table had not come to its end, and its rows were taken out
        /// first.
        public internal(set) var wasUnfinished = false
    }

    private static let rowsPerMutation = 1_000

    /// Imports the file.
    ///
    /// With an id column rows are added or replaced; without one, a table that has rows already is left
    /// alone, unless they are those of an import that was interrupted: they are taken out, and the file is
    /// imported again. Rows that others have added to them stay.
    /// - Returns: What was done.
    /// - Throws: ``TableServerError`` for a file that cannot be read or is malformed, naming the line;
    ///   `RemoteDataError` for what the table refuses; `CancellationError` between two mutations.
    public func run(on store: any TableStore) async throws -> Report {
        try TableName.checkImport(table)
        var report = Report()
        guard let target = try await store.table(table, creating: true) else {
            throw TableServerError(.system, "The table \"\(table)\" cannot be made.")
        }
        let unfinished = try await UnfinishedImport.of(table, in: store)
        if unfinished == nil, idColumn == nil, try await target.count(nil).value > 0 {
            report.wasSkipped = true
            return report
        }
        report.repeatedIDs = try check(idColumn: target.idColumn)
        if let unfinished {
            try await unfinished.takeOut(of: target)
            report.wasUnfinished = true
        }
        let mark = UnfinishedImport(table: table, file: file.lastPathComponent, ids: ImportedIDs())
        try await mark.save(in: store)
        var rows = try RowFile(file)
        var drafts: [Draft] = []
        while let row = try rows.next() {
            let number = report.rows + drafts.count
            drafts.append(try draft(row, idColumn: target.idColumn, otherwise: mark.ids[number]))
            guard drafts.count == Self.rowsPerMutation else { continue }
            report.rows += try await write(&drafts, to: target)
        }
        report.rows += try await write(&drafts, to: target)
        try await mark.forget(in: store)
        return report
    }

    private func write(_ drafts: inout [Draft], to table: any Table) async throws -> Int {
        try Task.checkCancellation()
        guard !drafts.isEmpty else { return 0 }
        defer { drafts = [] }
        return try await table.commit(.upsert(drafts)).count
    }

    /// Reads the whole file; how many rows have the id of an earlier one.
    private func check(idColumn: String) throws -> Int {
        var rows = try RowFile(file)
        var seen: Set<RowID> = []
        var repeated = 0
        while let row = try rows.next() {
            try Task.checkCancellation()
            try checkColumn(rows)
            if let id = try draft(row, idColumn: idColumn).id, !seen.insert(id).inserted { repeated += 1 }
        }
        try checkColumn(rows)
        return repeated
    }

    /// Looks for the id column in the header of a CSV file.
    private func checkColumn(_ rows: RowFile) throws(TableServerError) {
        guard let idColumn, let names = rows.columnNames, !names.contains(idColumn) else { return }
        let known = names.prefix(20).joined(separator: ", ")
        throw malformed(1, "There is no column \"\(idColumn)\" for the id; the header has \(known).")
    }

    /// The row as it is to be written; `otherwise` is its id when it brings none.
    private func draft(
        _ row: JSONRowReader.Row,
        idColumn: String,
        otherwise: RowID? = nil
    ) throws(TableServerError) -> Draft {
        do throws(RemoteDataError) {
            try JSONObject.checkInterchange(row.json[...])
            guard let column = self.idColumn else {
                let draft = try Draft(row.json[...], idColumn: idColumn)
                guard draft.id == nil, let otherwise else { return draft }
                return try Draft(draft.row(id: otherwise, idColumn: idColumn).json, idColumn: idColumn)
            }
            let members = try JSONObject.members(of: row.json[...])
            guard let json = members.last(where: { $0.name == column })?.json else {
                throw RemoteDataError(.invalidRow, "There is no member \"\(column)\" for the id.")
            }
            guard column == idColumn || !members.contains(where: { $0.name == idColumn }) else {
                throw RemoteDataError(
                    .invalidRow,
                    "There is a column \(idColumn) too, whose place \"\(column)\" would take; rename it."
                )
            }
            var text = JSONText(capacity: row.json.count + json.count + 16)
            text.member(idColumn, json: json)
            for member in members where member.name != idColumn {
                text.member(escaping: member.name, json: member.json)
            }
            let draft = try Draft(text.closed[...], idColumn: idColumn)
            guard draft.id != nil else {
                throw RemoteDataError(.invalidRow, "The id in \"\(column)\" is null.")
            }
            return draft
        } catch { throw malformed(row.line, error.message) }
    }

    private func malformed(_ line: Int, _ problem: String) -> TableServerError {
        TableServerError(.malformed, "\(file.lastPathComponent): Line \(line): \(problem)")
    }
}

extension TableName {
    /// Refuses what no request could name.
    fileprivate static func checkImport(_ name: String) throws(TableServerError) {
        do throws(HTTPRefusal) {
            try check(name)
        } catch { throw TableServerError(.configuration, error.message) }
    }
}
