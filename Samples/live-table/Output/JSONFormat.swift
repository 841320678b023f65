/// Rows as one JSON array, one row a line.
struct JSONFormat: RowWriter {
    private var isEmpty = true

    mutating func text(for rows: [LiveRow]) -> String {
        var text = ""
        for row in rows {
            text += isEmpty ? "[\n" : ",\n"
            text += row.value.json
            isEmpty = false
        }
        return text
    }

    func end() -> String { isEmpty ? "[]\n" : "\n]\n" }
}
