import Foundation

extension JSONValue {
    /// The value as JSON on one line.
    var json: String {
        var text = ""
        append(to: &text)
        return text
    }

    private func append(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .decimal(let value): text += "\(value)"
        case .double(let value): text += Self.number(value)
        case .text(let value): Self.append(quoted: value, to: &text)
        case .array(let values):
            text += "["
            for (offset, value) in values.enumerated() {
                if offset > 0 { text += "," }
                value.append(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (offset, member) in members.enumerated() {
                if offset > 0 { text += "," }
                Self.append(quoted: member.name, to: &text)
                text += ":"
                member.value.append(to: &text)
            }
            text += "}"
        }
    }

    /// The value as a person reads it in a cell: text as it is, nothing for null.
    var cell: String {
        switch self {
        case .null: ""
        case .text(let text): text
        default: json
        }
    }

    /// The shortest digits that read back as the same number; a whole one without a fraction.
    private static func number(_ value: Double) -> String {
        let text = "\(value)"
        return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }

    private static func append(quoted value: String, to text: inout String) {
        text += "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case "\r": text += "\\r"
            case "\t": text += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
                text += "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}
