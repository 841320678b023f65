import RemoteData

/// Renders a clause to SQL that agrees with its local evaluation in all three truth values.
///
/// Parts that are nested too deeply for SQLite's parser, or hold too many values for its parameters, are
/// handed to the function `row_matches`, which evaluates them locally inside the query.
struct WhereSQL: Sendable {
    /// SQLite's limits are an expression depth of 1,000, about 100 nested parentheses, and 32,766 parameters.
    private static let heightLimit = 700
    private static let nestingLimit = 16
    private static let bindingLimit = Connection.parameterLimit
    /// How many parts `AND` and `OR` chain before they are put in parentheses.
    private static let chainLimit = 200

    let columns: ColumnSQL

    init(idColumn: String) { columns = ColumnSQL(idColumn: idColumn) }

    /// A rendered part and the height of its expression tree.
    private struct Part {
        var fragment: SQLFragment
        var height: Int

        init(_ sql: String, _ bindings: [Binding] = [], height: Int = 4) {
            fragment = SQLFragment(sql, bindings)
            self.height = height
        }
    }

    /// The clause as an expression in parentheses: 1, 0 or null.
    func render(_ clause: Where) -> SQLFragment { render(clause, isFilter: false) }

    /// The clause as a condition for the rows for which it is true, with what helps SQLite to find them: 0 and null are the same.
    func filter(_ clause: Where) -> SQLFragment { render(clause, isFilter: true) }

    private func render(_ clause: Where, isFilter: Bool) -> SQLFragment {
        let part = part(clause, nesting: 0, isFilter: isFilter)
        return part.fragment.bindings.count > Self.bindingLimit ? locally(clause).fragment : part.fragment
    }

    private func part(_ clause: Where, nesting: Int, isFilter: Bool) -> Part {
        guard nesting < Self.nestingLimit else { return locally(clause) }
        let part: Part
        switch clause {
        case .and(let parts): part = chain(parts, by: " AND ", nesting: nesting, isFilter: isFilter)
        case .or(let parts): part = chain(parts, by: " OR ", nesting: nesting, isFilter: isFilter)
        case .not(let inner):
            var negated = self.part(inner, nesting: nesting + 1, isFilter: false)
            negated.fragment.sql = "(NOT " + negated.fragment.sql + ")"
            negated.height += 1
            part = negated
        case .distance(let distance) where isFilter && distance.box != nil:
            part = joined([distance.box.map(box), condition(clause)].compactMap(\.self)[...], by: " AND ")
        default: part = condition(clause)
        }
        let isTooLarge = part.height > Self.heightLimit || part.fragment.bindings.count > Self.bindingLimit
        return isTooLarge ? locally(clause) : part
    }

    /// The clause evaluated by the same code as in memory.
    private func locally(_ clause: Where) -> Part {
        Part("row_matches(?,json)", [.clause(PointerBox(Where.Matcher(clause)))])
    }

    private func chain(_ parts: [Where], by separator: String, nesting: Int, isFilter: Bool) -> Part {
        var parts = parts.map { part($0, nesting: nesting + 2, isFilter: isFilter) }
        while parts.count > Self.chainLimit {
            parts = stride(from: 0, to: parts.count, by: Self.chainLimit).map { start in
                joined(parts[start..<min(start + Self.chainLimit, parts.count)], by: separator)
            }
        }
        return joined(parts[...], by: separator)
    }

    /// The ranges around a point, which an index can find.
    private func box(_ clause: Where) -> Part {
        chain(clause.conjuncts, by: " AND ", nesting: 0, isFilter: false)
    }

    private func joined(_ parts: ArraySlice<Part>, by separator: String) -> Part {
        let fragment = SQLFragment.joined(parts.map(\.fragment), by: separator)
        let height = (parts.map(\.height).max() ?? 0) + parts.count
        return Part("(" + fragment.sql + ")", fragment.bindings, height: height)
    }

    private func condition(_ clause: Where) -> Part {
        switch clause {
        case .comparison(let left, let comparison, let right):
            let fragment = operand(left) + SQLFragment(" \(comparison.rawValue) ") + operand(right)
            return Part("(" + fragment.sql + ")", fragment.bindings)
        case .like(let operand, let pattern): return like(operand, pattern)
        case .isIn(let operand, let list):
            let values = SQLFragment.joined(list.map(self.operand), by: ",")
            let fragment = self.operand(operand) + SQLFragment(" IN (") + values + SQLFragment(")")
            return Part("(" + fragment.sql + ")", fragment.bindings)
        case .between(let operand, let low, let high):
            let bounds = self.operand(low) + SQLFragment(" AND ") + self.operand(high)
            let fragment = self.operand(operand) + SQLFragment(" BETWEEN ") + bounds
            return Part("(" + fragment.sql + ")", fragment.bindings)
        case .contains(.column(let column), let elements):
            return Part(
                columns.call("row_contains", column),
                [.elements(PointerBox(ElementMatcher(elements)))]
            )
        case .regex(.column(let column), let pattern):
            return Part(columns.call("row_regex", column), [.regex(PointerBox(pattern))])
        case .distance(let distance):
            let point = "\(columns.value(distance.latitude)),\(columns.value(distance.longitude))"
            return Part("row_distance(?,\(point))", [.distance(PointerBox(distance))])
        case .contains(.literal, _), .regex(.literal, _): return constant(clause)
        case .isNull(let operand):
            let fragment = self.operand(operand)
            return Part("(" + fragment.sql + " IS NULL)", fragment.bindings)
        case .truth(let operand):
            // Numbers sort in front of all text, so the second half is false for text alone.
            let fragment = self.operand(operand)
            let sql = "(\(fragment.sql) <> 0 AND \(fragment.sql) < '')"
            return Part(sql, fragment.bindings + fragment.bindings)
        case .isAmong, .and, .or, .not: return locally(clause)
        }
    }

    private func like(_ operand: Where.Operand, _ pattern: Where.LikePattern) -> Part {
        guard case .column(let column) = operand else { return constant(.like(operand, pattern)) }
        let like = SQLFragment(columns.like(column), [.pattern(PointerBox(LikeMatcher(pattern)))])
        guard let (low, high) = pattern.prefixRange else { return Part(like.sql, like.bindings) }
        // What fits begins with the text in front of the first wildcard, which an index can find.
        let value = columns.value(column)
        let sql = "(\(value) >= ? AND \(value) < ? AND \(like.sql))"
        return Part(sql, [.text(low), .text(high)] + like.bindings)
    }

    /// What does not depend on the row is known now.
    private func constant(_ clause: Where) -> Part {
        switch clause.truth(of: Row(id: 0, json: Array("{}".utf8)[...])) {
        case .true: Part("1")
        case .false: Part("0")
        case .unknown: Part("NULL")
        }
    }

    private func operand(_ operand: Where.Operand) -> SQLFragment {
        switch operand {
        case .column(let column): SQLFragment(columns.value(column))
        case .literal(let value): SQLFragment("?", [Binding(value)])
        }
    }
}

extension Where.LikePattern {
    /// The text that everything that fits is at or behind, and the text it is in front of; nil when there is
    /// none.
    var prefixRange: (low: String, high: String)? {
        guard !ignoresCase else { return nil }
        var prefix = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if scalar == "%" || scalar == "_" || scalar == escape { break }
            prefix.append(scalar)
        }
        guard !prefix.isEmpty else { return nil }
        var end = prefix
        while let last = end.popLast() {
            // UTF-8 sorts by scalar; the surrogates between U+D7FF and U+E000 are no scalars.
            let next = last.value == 0xD7FF ? 0xE000 : last.value + 1
            guard let next = Unicode.Scalar(next) else { continue }
            end.append(next)
            return (String(prefix), String(end))
        }
        return nil
    }
}
