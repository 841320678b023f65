import RemoteData

/// Clauses as Backendless has them: conditions of SQL-92, with the values in the text.
///
/// The server's columns have types, and each is taken to be compared with values of its own: a number, a truth value or a date
/// (which is a number) by its value, and text as the database does. Where that is by a collation, what is equal by its bytes is
/// equal there too, but not the other way around; which of two texts is less, and what is not equal, only the server knows.
/// Whatever cannot be said names its columns all the same, so that the server says which of them it does not have.
struct BackendlessFilter: ClauseDialect {
    /// How the server compares text.
    let text: BackendlessTextComparison

    private static let always = RenderedClause(text: "objectId IS NOT NULL")
    private static let never = RenderedClause(text: "objectId IS NULL")

    func all(_ parts: [RenderedClause]) -> RenderedClause { joined(parts, by: " AND ") }

    func any(_ parts: [RenderedClause]) -> RenderedClause? { joined(parts, by: " OR ") }

    func condition(_ condition: Where, isNegated: Bool) -> RenderedClause? {
        if let constant = condition.constant {
            return constant == (isNegated ? .false : .true) ? Self.always : Self.never
        }
        switch condition {
        case .comparison(let left, let comparison, let right):
            return compare(left, isNegated ? comparison.opposite : comparison, right)
        case .isIn(let operand, let list): return isIn(operand, list, isNegated: isNegated)
        case .between(let operand, let low, let high):
            let (lower, upper) = (
                Where.comparison(operand, .greaterOrEqual, low), Where.comparison(operand, .lessOrEqual, high)
            )
            return render(isNegated ? .or([.not(lower), .not(upper)]) : .and([lower, upper]))
        case .isNull(.column(let column)):
            return name(column).map { RenderedClause(text: "\($0) IS \(isNegated ? "NOT " : "")NULL") }
        case .truth(.column(let column)):
            return name(column).map { RenderedClause(text: "\($0) \(isNegated ? "=" : "!=") false") }
        case .like(.column(let column), let pattern): return like(column, pattern, isNegated: isNegated)
        // Neither true nor false for a null.
        case .contains(.column(let column), _), .regex(.column(let column), _):
            return name(column).map(isThere)
        case .distance(let distance):
            let columns = [distance.latitude, distance.longitude].compactMap(name)
            return columns.isEmpty ? nil : joined(columns.map(isThere), by: " AND ", isExact: false)
        default: return nil
        }
    }

    private func joined(
        _ parts: [RenderedClause],
        by word: String,
        isExact: Bool = true
    ) -> RenderedClause {
        RenderedClause(text: "(" + parts.map(\.text).joined(separator: word) + ")", isExact: isExact)
    }
}

// MARK: - Conditions

extension BackendlessFilter {
    private func compare(_ left: Where.Operand, _ comparison: Where.Comparison, _ right: Where.Operand)
        -> RenderedClause?
    {
        switch (left, right) {
        case (.column(let column), .literal(let value)): return compare(column, comparison, value)
        case (.literal(let value), .column(let column)): return compare(column, comparison.flipped, value)
        case (.column(let left), .column(let right)):
            guard let first = name(left), let second = name(right) else { return nil }
            guard text == .byBytes else {
                return RenderedClause(
                    text: "(\(first) IS NOT NULL AND \(second) IS NOT NULL)",
                    isExact: false
                )
            }
            return RenderedClause(text: "\(first) \(Self.sign(comparison)) \(second)")
        case (.literal, .literal): return nil
        }
    }

    private func compare(_ column: ColumnPath, _ comparison: Where.Comparison, _ value: Value)
        -> RenderedClause?
    {
        guard let name = name(column) else { return nil }
        if value == .null { return never(name) }
        guard let literal = literal(value) else { return isThere(name) }
        var clause = RenderedClause(text: "\(name) \(Self.sign(comparison)) \(literal)")
        guard case .text = value, text == .byCollation else { return clause }
        guard comparison == .equal else { return isThere(name) }
        clause.isExact = false
        return clause
    }

    private func isIn(_ operand: Where.Operand, _ list: [Where.Operand], isNegated: Bool) -> RenderedClause? {
        let equals = list.map { Where.comparison(operand, .equal, $0) }
        guard equals.count > 1 else {
            if let equal = equals.first { return render(isNegated ? .not(equal) : equal) }
            guard case .column(let column) = operand, let name = name(column) else {
                return isNegated ? Self.always : Self.never
            }
            return isNegated ? RenderedClause(text: Self.naming(name)) : never(name)
        }
        guard !isNegated, case .column(let column) = operand, let name = name(column),
            let values = list.asLiterals
        else { return render(isNegated ? .not(.or(equals)) : .or(equals)) }
        // Nothing is equal to null.
        let literals = values.filter { $0 != .null }.map { literal($0) }
        guard !literals.isEmpty else { return never(name) }
        let written = literals.compactMap(\.self)
        guard written.count == literals.count else { return isThere(name) }
        return RenderedClause(
            text: "\(name) IN (\(written.joined(separator: ", ")))",
            isExact: text == .byBytes || !values.contains(where: \.isText)
        )
    }

    private func like(_ column: ColumnPath, _ pattern: Where.LikePattern, isNegated: Bool) -> RenderedClause?
    {
        guard let name = name(column) else { return nil }
        let pattern = BackendlessPattern(pattern, text)
        let isExact = pattern.isExact && text == .byBytes
        guard !isNegated || isExact else { return isThere(name) }
        let literal = Self.quoted(pattern.text)
        return RenderedClause(text: "\(name) \(isNegated ? "NOT " : "")LIKE \(literal)", isExact: isExact)
    }

    /// The rows that have a value, which every comparison asks for.
    private func isThere(_ name: String) -> RenderedClause {
        RenderedClause(text: "\(name) IS NOT NULL", isExact: false)
    }

    private func never(_ name: String) -> RenderedClause {
        RenderedClause(text: "(\(name) IS NULL AND \(name) IS NOT NULL)")
    }
}

// MARK: - Words

extension BackendlessFilter {
    /// A column; nil for one that a clause has no spelling for.
    static func name(_ column: ColumnPath) -> String? {
        let name = column.names.joined(separator: ".")
        // Others stand in double quotes, which Backendless does not have.
        return column.description == name ? name : nil
    }

    private func name(_ column: ColumnPath) -> String? { Self.name(column) }

    /// What is true of every row and names a column, so that a server without it refuses.
    static func naming(_ name: String) -> String { "(\(name) IS NULL OR \(name) IS NOT NULL)" }

    private static func sign(_ comparison: Where.Comparison) -> String {
        comparison == .notEqual ? "!=" : comparison.rawValue
    }

    /// A value; nil for one that a clause cannot hold.
    private func literal(_ value: Value) -> String? {
        switch value {
        case .bool(let isTrue): isTrue ? "true" : "false"
        case .integer(let number): String(number)
        case .double(let number): number.isFinite ? number.description : nil
        case .text(let text): text.utf8.contains(0) ? nil : Self.quoted(text)
        case .null, .json: nil
        }
    }

    /// Text in single quotes, doubled within; nothing else stands for anything but itself (SQL-92, 5.3).
    private static func quoted(_ text: String) -> String {
        var quoted = String.UnicodeScalarView("'".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "'" { quoted.append(scalar) }
            quoted.append(scalar)
        }
        quoted.append("'")
        return String(quoted)
    }
}

extension Value {
    fileprivate var isText: Bool { if case .text = self { true } else { false } }
}

extension [Where.Operand] {
    /// The values, where all are.
    fileprivate var asLiterals: [Value]? {
        let values = compactMap { operand -> Value? in
            if case .literal(let value) = operand { value } else { nil }
        }
        return values.count == count ? values : nil
    }
}
