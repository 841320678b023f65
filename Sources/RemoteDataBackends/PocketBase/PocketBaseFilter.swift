import RemoteData

/// Clauses as PocketBase filters them: in SQLite, through a syntax of its own.
///
/// A filter does not know whether a column holds numbers or text, and SQLite turns one into the other where a column has a type. So
/// every comparison says as well on which side of the empty text its rows lie: numbers are less than that, text is not, and nulls
/// (only columns of JSON have them) are neither.
struct PocketBaseFilter: ClauseDialect {
    /// The longest filter that a server takes, in Unicode scalars, and the most conditions.
    static let (lengthLimit, conditionLimit) = (3_500, 200)

    private static let always = RenderedClause(text: #"id != """#)
    private static let never = RenderedClause(text: #"id = """#)

    func all(_ parts: [RenderedClause]) -> RenderedClause { joined(parts, by: " && ") }

    func any(_ parts: [RenderedClause]) -> RenderedClause? { joined(parts, by: " || ") }

    func condition(_ condition: Where, isNegated: Bool) -> RenderedClause? {
        if let constant = condition.constant {
            let isTrue = constant == (isNegated ? .false : .true)
            return isTrue ? Self.always : Self.never
        }
        switch condition {
        case .comparison(.column(let column), let comparison, .literal(let value)):
            return compare(column, isNegated ? comparison.opposite : comparison, value)
        case .comparison(.literal(let value), let comparison, .column(let column)):
            return compare(column, (isNegated ? comparison.opposite : comparison).flipped, value)
        case .isIn(let operand, let list):
            return isIn(operand, list, isNegated: isNegated)
        case .between(let operand, let low, let high):
            let (lower, upper) = (
                Where.comparison(operand, .greaterOrEqual, low), Where.comparison(operand, .lessOrEqual, high)
            )
            return render(isNegated ? .or([.not(lower), .not(upper)]) : .and([lower, upper]))
        case .isNull(.column(let column)):
            guard let name = name(column) else { return nil }
            return RenderedClause(
                text: isNegated
                    ? #"(\#(name) < "" || \#(name) >= "")"# : #"(\#(name) = null && \#(name) != "")"#,
                conditionCount: 2
            )
        case .truth(.column(let column)):
            return compare(column, isNegated ? .equal : .notEqual, .integer(0)).flatMap { isNotZero in
                isNegated ? orText(column, isNotZero) : andNumber(column, isNotZero)
            }
        case .like(.column(let column), let pattern): return isNegated ? nil : like(column, pattern)
        default: return nil
        }
    }

    private func joined(_ parts: [RenderedClause], by sign: String) -> RenderedClause {
        RenderedClause(
            text: "(" + parts.map(\.text).joined(separator: sign) + ")",
            conditionCount: parts.reduce(0) { $0 + $1.conditionCount }
        )
    }

    private func isIn(_ operand: Where.Operand, _ list: [Where.Operand], isNegated: Bool) -> RenderedClause? {
        let equals = list.map { Where.comparison(operand, .equal, $0) }
        let clause: Where =
            equals.count > 1 ? .or(equals) : equals.first ?? .comparison(.literal(0), .equal, .literal(1))
        return render(isNegated ? .not(clause) : clause)
    }
}

// MARK: - Comparisons

extension PocketBaseFilter {
    private func compare(_ column: ColumnPath, _ comparison: Where.Comparison, _ value: Value)
        -> RenderedClause?
    {
        if value == .null { return Self.never }
        guard let name = name(column), let literal = literal(value) else { return nil }
        let sign = comparison == .notEqual ? "!=" : comparison.rawValue
        let test = RenderedClause(text: "\(name) \(sign) \(literal)")
        let isText = if case .text = value { true } else { false }
        switch comparison {
        case .equal: return isText ? andText(column, test) : andNumber(column, test)
        case .less, .lessOrEqual: return isText ? orNumber(column, test) : andNumber(column, test)
        case .greater, .greaterOrEqual: return isText ? andText(column, test) : orText(column, test)
        case .notEqual:
            return isText
                ? andText(column, test).flatMap { orNumber(column, $0) }
                : andNumber(column, test).flatMap { orText(column, $0) }
        }
    }

    private func andText(_ column: ColumnPath, _ test: RenderedClause) -> RenderedClause? {
        side(column, ">=").map { joined([test, $0], by: " && ") }
    }

    private func andNumber(_ column: ColumnPath, _ test: RenderedClause) -> RenderedClause? {
        side(column, "<").map { joined([test, $0], by: " && ") }
    }

    private func orText(_ column: ColumnPath, _ test: RenderedClause) -> RenderedClause? {
        side(column, ">=").map { joined([test, $0], by: " || ") }
    }

    private func orNumber(_ column: ColumnPath, _ test: RenderedClause) -> RenderedClause? {
        side(column, "<").map { joined([test, $0], by: " || ") }
    }

    private func side(_ column: ColumnPath, _ sign: String) -> RenderedClause? {
        name(column).map { RenderedClause(text: #"\#($0) \#(sign) """#) }
    }

    /// SQLite's `LIKE`: letters of ASCII match in either case, so that more matches than should.
    private func like(_ column: ColumnPath, _ pattern: Where.LikePattern) -> RenderedClause? {
        guard let name = name(column), let written = written(pattern), let literal = literal(.text(written))
        else {
            return nil
        }
        return RenderedClause(text: "\(name) ~ \(literal)", isExact: false)
    }

    /// The pattern with a backslash in front of what stands for itself; nil where letters match in other cases than here.
    private func written(_ pattern: Where.LikePattern) -> String? {
        var text = ""
        var isEscaped = false
        var hasRun = false
        for scalar in pattern.text.unicodeScalars {
            if !isEscaped, scalar == pattern.escape {
                isEscaped = true
                continue
            }
            // Of ASCII, these are what letters beyond it become in lower case.
            if pattern.ignoresCase, !scalar.isASCII || "kKiI".unicodeScalars.contains(scalar) { return nil }
            let isWildcard = !isEscaped && (scalar == "%" || scalar == "_")
            hasRun = hasRun || (isWildcard && scalar == "%")
            if !isWildcard, scalar == "%" || scalar == "_" || scalar == "\\" { text += "\\" }
            text.unicodeScalars.append(scalar)
            isEscaped = false
        }
        // Without one, the server looks for the text anywhere, and takes a low line as itself.
        return isEscaped ? nil : hasRun ? text : text + "%"
    }
}

// MARK: - Words

extension PocketBaseFilter {
    /// A column; nil for one that PocketBase has no spelling for.
    func name(_ column: ColumnPath) -> String? {
        guard Self.root(column) != nil, column.names.allSatisfy(Self.isPlain) else { return nil }
        return column.names.joined(separator: ".")
    }

    /// Returns the column that a path begins with; nil where no collection can have it, such as `@request`.
    static func root(_ column: ColumnPath) -> String? {
        guard let name = column.names.first, isPlain(name), !literals.contains(name.lowercased()) else {
            return nil
        }
        return name
    }

    private static let literals: Set<String> = ["true", "false", "null"]

    private static func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !(48...57).contains(first) else { return false }
        return name.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0) || $0 == 95
        }
    }

    /// A member of JSON that no collection has as a column.
    private static let stranger = "remote_data_probe"

    /// Returns a filter that is true for every row, and an error where a column is not the rows' own.
    ///
    /// - Returns: Nil for no columns.
    func columnCheck(_ columns: [ColumnPath]) -> RenderedClause? {
        var names: [String] = []
        for column in columns {
            guard let root = Self.root(column) else { continue }
            let name = column.names.count > 1 ? "\(root).\(Self.stranger)" : root
            if !names.contains(name) { names.append(name) }
        }
        guard !names.isEmpty else { return nil }
        let tests = names.map { #"\#($0) = """# }
        return RenderedClause(
            text: "(" + ([Self.always.text] + tests).joined(separator: " || ") + ")",
            conditionCount: tests.count + 1
        )
    }

    /// A value; nil for one that PocketBase cannot be told, or not exactly.
    func literal(_ value: Value) -> String? {
        switch value {
        case .bool(let isTrue): isTrue ? "1" : "0"
        case .integer(let number): number.magnitude <= 1 << 53 ? String(number) : nil
        case .double(let number): plain(number)
        case .text(let text): text.utf8.contains(0) ? nil : quoted(text)
        case .null, .json: nil
        }
    }

    private func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }

    /// A number without an exponent; nil for one that would be long.
    private func plain(_ number: Double) -> String? {
        let text = number.description
        guard number.isFinite else { return nil }
        guard let mark = text.firstIndex(of: "e") else { return text }
        guard let exponent = Int(text[text.index(after: mark)...]), abs(exponent) <= 30 else { return nil }
        let mantissa = text[..<mark].split(separator: ".")
        let isNegative = mantissa[0].hasPrefix("-")
        let whole = mantissa[0].drop { $0 == "-" }
        let digits = String(whole + (mantissa.count > 1 ? mantissa[1] : ""))
        let point = whole.count + exponent
        let sign = isNegative ? "-" : ""
        if point <= 0 { return sign + "0." + String(repeating: "0", count: -point) + digits }
        if point >= digits.count {
            return sign + digits + String(repeating: "0", count: point - digits.count)
        }
        return sign + digits.prefix(point) + "." + digits.dropFirst(point)
    }
}
