/// Rows as CSV (RFC 4180) with PostgreSQL's rule for nulls: an empty field is null, a quoted empty one is empty text.
struct CSVFormat: RowWriter {
    private var columns: [String]?
    private let isFixed: Bool
    private var hasHeader = false
    private(set) var missed: [String] = []

    init(columns: [String]?) {
        self.columns = columns
        isFixed = columns != nil
    }

    mutating func text(for rows: [LiveRow]) -> String {
        var text = ""
        if !hasHeader {
            let names = columns ?? rows.columnNames
            columns = names
            text += line(names.map { Self.quoted($0) })
            hasHeader = true
        }
        let names = columns ?? []
        if !isFixed { rows.noteMissed(names, in: &missed) }
        for row in rows { text += line(names.map { Self.field(row[$0]) }) }
        return text
    }

    mutating func end() -> String { hasHeader ? "" : text(for: []) }

    private func line(_ fields: [String]) -> String {
        fields.isEmpty ? "" : fields.joined(separator: ",") + "\r\n"
    }

    private static func field(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .text(let text): text.isEmpty ? "\"\"" : quoted(text)
        default: quoted(value.json)
        }
    }

    private static func quoted(_ text: String) -> String {
        let special = text.unicodeScalars.contains { ["\"", ",", "\r", "\n"].contains($0) }
        let isPadded = text.first == " " || text.last == " "
        return special || isPadded ? "\"" + text.replacing("\"", with: "\"\"") + "\"" : text
    }
}

extension [LiveRow] {
    /// The names of all members in the order in which they turn up.
    var columnNames: [String] {
        var seen: Set<String> = []
        return flatMap(\.members).map(\.name).filter { seen.insert($0).inserted }
    }

    /// Notes the members that have no column.
    func noteMissed(_ columns: [String], in missed: inout [String]) {
        let known = Set(columns)
        for member in flatMap(\.members) where !known.contains(member.name) && !missed.contains(member.name) {
            missed.append(member.name)
        }
    }
}
