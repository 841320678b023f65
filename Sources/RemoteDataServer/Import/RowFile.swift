import Foundation

/// The rows of a CSV or JSON file, one after another.
struct RowFile {
    private enum Format {
        case csv(CSVReader, CSVColumns?)
        case json(JSONRowReader)
    }

    private static let partSize = 1 << 20

    private let handle: FileHandle
    private let name: String
    private var format: Format
    private var rows: ArraySlice<JSONRowReader.Row> = []
    private var isAtEnd = false

    /// Opens a file.
    ///
    /// - Throws: ``TableServerError`` with code `unreadable`.
    init(_ file: URL) throws(TableServerError) {
        name = file.lastPathComponent
        // It is read twice; a pipe would be empty the second time, or keep whoever opens it waiting.
        var status = stat()
        if stat(file.path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw TableServerError(
                .unreadable,
                "\(file.path) has to be a regular file, no folder and no pipe: an import reads it twice."
            )
        }
        do {
            handle = try FileHandle(forReadingFrom: file)
        } catch {
            throw TableServerError(
                .unreadable,
                "\(file.path) cannot be opened; is it there, and may you read it?"
            )
        }
        let isJSON = ["json", "jsonl", "ndjson"].contains(file.pathExtension.lowercased())
        format = isJSON ? .json(JSONRowReader()) : .csv(CSVReader(), nil)
    }

    /// The columns of a CSV file, once its header was read.
    var columnNames: [String]? {
        guard case .csv(_, let columns) = format else { return nil }
        return columns?.names
    }

    /// The next row; nil behind the last.
    ///
    /// - Throws: ``TableServerError`` that names the file and the line.
    mutating func next() throws(TableServerError) -> JSONRowReader.Row? {
        while rows.isEmpty {
            if isAtEnd { return nil }
            do throws(TableServerError) {
                rows = try readPart()[...]
            } catch { throw TableServerError(error.code, "\(name): \(error.message)", cause: error.cause) }
        }
        return rows.popFirst()
    }

    private mutating func readPart() throws(TableServerError) -> [JSONRowReader.Row] {
        let part: Data?
        do {
            part = try handle.read(upToCount: Self.partSize)
        } catch { throw TableServerError(.unreadable, "The file cannot be read; is it a file?") }
        isAtEnd = part?.isEmpty ?? true
        let bytes = part.map { [UInt8]($0) } ?? []
        guard !bytes.contains(0) else {
            throw CSVReader.malformed(1, "There are NUL bytes: this is no text in UTF-8, maybe UTF-16.")
        }
        switch format {
        case .json(var reader):
            let rows = try reader.read(bytes)
            if isAtEnd { try reader.finish() }
            format = .json(reader)
            return rows
        case .csv(var reader, var columns):
            let records = isAtEnd ? try reader.finish() : try reader.read(bytes)
            let rows = try Self.rows(records, &columns)
            if isAtEnd, columns == nil { throw CSVReader.malformed(1, "There is no header.") }
            format = .csv(reader, columns)
            return rows
        }
    }

    private static func rows(
        _ records: [CSVReader.Record],
        _ columns: inout CSVColumns?
    ) throws(TableServerError) -> [JSONRowReader.Row] {
        var rows: [JSONRowReader.Row] = []
        for record in records {
            if let columns {
                if let json = try columns.row(record) {
                    rows.append(JSONRowReader.Row(json: json, line: record.line))
                }
            } else {
                columns = try CSVColumns(record)
            }
        }
        return rows
    }
}
