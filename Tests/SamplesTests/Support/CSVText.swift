/// Reads CSV as RFC 4180 has it; a reader apart from the programs', to check what they write.
enum CSVText {
    /// The records of a text, the header first.
    static func records(_ text: String) -> [[String]] {
        var records: [[String]] = []
        var record: [String] = []
        var field = ""
        var isQuoted = false
        var scalars = Array(text.unicodeScalars)[...]
        while let scalar = scalars.popFirst() {
            switch scalar {
            case "\"" where isQuoted && scalars.first == "\"":
                field.unicodeScalars.append("\"")
                scalars.removeFirst()
            case "\"": isQuoted.toggle()
            case "," where !isQuoted:
                record.append(field)
                field = ""
            case "\r" where !isQuoted: break
            case "\n" where !isQuoted:
                records.append(record + [field])
                (record, field) = ([], "")
            default: field.unicodeScalars.append(scalar)
            }
        }
        return field.isEmpty && record.isEmpty ? records : records + [record + [field]]
    }
}
