import RemoteData

/// The columns of a CSV text, which turn its records into rows.
struct CSVColumns: Sendable {
    /// The names in the header's order.
    let names: [String]
    private let quoted: [[UInt8]]

    /// Reads the header.
    init(_ header: CSVReader.Record) throws(TableServerError) {
        names = header.fields.map(\.text)
        guard !names.contains("") else { throw CSVReader.malformed(header.line, "A column has no name.") }
        var seen: Set<String> = []
        for name in names where !seen.insert(name).inserted {
            throw CSVReader.malformed(header.line, "The column \"\(name)\" is there twice.")
        }
        quoted = names.map { JSONObject.quoted($0) + [UInt8(ascii: ":")] }
    }

    /// A record's row as a JSON object; nil for a blank line, unless the only column is null in it.
    func row(_ record: CSVReader.Record) throws(TableServerError) -> [UInt8]? {
        let fields = record.fields
        guard fields.count == names.count else {
            if fields == [CSVReader.Field("")] { return nil }
            throw CSVReader.malformed(
                record.line,
                "The record has \(fields.count) fields, the header \(names.count)."
            )
        }
        var json: [UInt8] = [UInt8(ascii: "{")]
        for (name, field) in zip(quoted, fields) {
            if json.count > 1 { json.append(UInt8(ascii: ",")) }
            json += name
            json += Self.json(field)
        }
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// A field as JSON.
    ///
    /// What is quoted is text; otherwise nothing is null (PostgreSQL's rule), numbers and booleans are what
    /// they say, and the rest is text. A number keeps its digits; one that would lose some stays text.
    static func json(_ field: CSVReader.Field) -> [UInt8] {
        if field.isQuoted { return JSONObject.quoted(field.text) }
        switch field.text.lowercased() {
        case "": return Array("null".utf8)
        case "true": return Array("true".utf8)
        case "false": return Array("false".utf8)
        default:
            let bytes = Array(field.text.utf8)
            return isNumber(bytes, field.text) ? bytes : JSONObject.quoted(field.text)
        }
    }

    private static func isNumber(_ bytes: [UInt8], _ text: String) -> Bool {
        // What the JSON reader would pass over is part of a field.
        guard let first = bytes.first, first == UInt8(ascii: "-") || (48...57).contains(first),
            let last = bytes.last, (48...57).contains(last)
        else { return false }
        switch Value(json: bytes[...]) {
        case .integer: return true
        case .double(let number):
            let isWhole = bytes.allSatisfy { $0 == UInt8(ascii: "-") || (48...57).contains($0) }
            return number.isFinite && !isWhole
        default: return false
        }
    }
}
