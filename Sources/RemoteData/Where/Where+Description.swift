extension Where: CustomStringConvertible {
    /// The clause as text that reads back as the same clause.
    ///
    /// That holds for every clause that could have been read: lists of `and` and `or` with two parts or more,
    /// nesting up to 200, no pattern that ends in its escape character, no NaN (printed as `NULL`). Infinity
    /// has no literal and is printed as `1e999`, which reads back as infinity.
    public var description: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .and(let parts): Self.write(parts, joinedBy: " AND ", none: "TRUE", to: &text)
        case .or(let parts): Self.write(parts, joinedBy: " OR ", none: "FALSE", to: &text)
        case .not(let part): part.writeNegated(to: &text)
        default: writeCondition("", to: &text)
        }
    }

    private static func write(_ parts: [Where], joinedBy word: String, none: String, to text: inout String) {
        if parts.isEmpty { text += none }
        for (index, part) in parts.enumerated() {
            if index > 0 { text += word }
            part.write(inParentheses: parts.count > 1 && part.isList, to: &text)
        }
    }

    private func writeNegated(to text: inout String) {
        switch self {
        case .like, .isIn, .isAmong, .between, .contains, .regex, .isNull: writeCondition("NOT ", to: &text)
        default:
            text += "NOT "
            write(inParentheses: isList, to: &text)
        }
    }

    private func write(inParentheses: Bool, to text: inout String) {
        if inParentheses { text += "(" }
        write(to: &text)
        if inParentheses { text += ")" }
    }

    private var isList: Bool {
        switch self {
        case .and, .or: true
        default: false
        }
    }

    private func writeCondition(_ not: String, to text: inout String) {
        switch self {
        case .comparison(let left, let comparison, let right):
            text += "\(left) \(comparison.rawValue) \(right)"
        case .like(let operand, let pattern): text += "\(operand) \(not)\(pattern)"
        case .isIn(let operand, let list):
            text += "\(operand) \(not)IN (" + list.map(\.description).joined(separator: ", ") + ")"
        case .isAmong(let operand, let query): text += "\(operand) \(not)IN (\(query))"
        case .between(let operand, let low, let high): text += "\(operand) \(not)BETWEEN \(low) AND \(high)"
        case .contains(let operand, let elements): text += "\(operand) \(not)\(elements)"
        case .regex(let operand, let pattern): text += "\(operand) \(not)\(pattern)"
        case .distance(let distance): text += "\(distance)"
        case .isNull(let operand): text += "\(operand) IS \(not)NULL"
        case .truth(let operand): text += "\(operand)"
        case .and, .or, .not: break
        }
    }
}

extension Where.Operand: CustomStringConvertible {
    /// The column or the literal as a where clause spells it.
    public var description: String {
        switch self {
        case .column(let path): path.description
        case .literal(.null): "NULL"
        case .literal(.bool(let value)): value ? "TRUE" : "FALSE"
        case .literal(.integer(let value)): String(value)
        case .literal(.double(let value)): Self.spelled(value)
        case .literal(.text(let text)), .literal(.json(let text)): text.enclosed(in: "'")
        }
    }

    private static func spelled(_ value: Double) -> String {
        if value.isNaN { return "NULL" }
        if value.isInfinite { return value < 0 ? "-1e999" : "1e999" }
        return "\(value)"
    }
}

extension Where.LikePattern: CustomStringConvertible {
    /// The pattern with its operator, such as `LIKE 'a!%%' ESCAPE '!'`.
    public var description: String {
        (ignoresCase ? "ILIKE " : "LIKE ") + text.enclosed(in: "'")
            + (escape.map { " ESCAPE " + String($0).enclosed(in: "'") } ?? "")
    }
}
