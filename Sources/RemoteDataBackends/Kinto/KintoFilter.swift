import RemoteData

/// Clauses as Kinto filters them: parameters of a request, all of which have to hold.
///
/// Kinto compares values of all kinds with each other, and a missing one is the greatest of all. So every comparison says as
/// well between which values of its literal's kind its rows lie, which leaves out nulls and missing values, as a clause does.
/// There is no `OR` but among the values of one column.
///
/// Ranges and inequalities take a column to hold values of one kind: see ``KintoServer/table(_:mixedColumns:)``.
struct KintoFilter: ClauseDialect {
    /// The longest filter that is sent, in bytes: with the rest of a request it passes servers and proxies that take 8 KiB.
    static let lengthLimit = 6_000

    private static let always = RenderedClause(KintoConditions())
    private static let never = RenderedClause(KintoConditions.never)

    var storage = KintoStorage.postgreSQL
    var mixedColumns: Set<ColumnPath> = []
    /// The latest time that the server takes for one of a change, in milliseconds: it refuses those of days to come.
    var latestTime = Int64.max

    func all(_ parts: [RenderedClause]) -> RenderedClause {
        var conditions = KintoConditions()
        for part in parts {
            conditions.add(KintoConditions(part.text), sortsTextByBytes: storage.sortsTextByBytes)
        }
        return RenderedClause(conditions)
    }

    func any(_ parts: [RenderedClause]) -> RenderedClause? {
        let conditions = parts.map { KintoConditions($0.text) }
        if conditions.contains(where: \.isAlways) { return Self.always }
        let possible = conditions.filter { !$0.isNever }
        guard let first = possible.first else { return Self.never }
        guard possible.count > 1 else { return RenderedClause(first) }
        let lists = possible.compactMap(\.list)
        guard lists.count == possible.count, let name = lists.first?.name,
            lists.allSatisfy({ $0.name == name })
        else {
            return nil
        }
        let values = Self.distinct(lists.flatMap(\.values))
        guard values.count == 1 || name != KintoColumn.stamp else { return nil }
        return RenderedClause(KintoConditions(name, .any(of: values)))
    }

    func condition(_ condition: Where, isNegated: Bool) -> RenderedClause? {
        if let constant = condition.constant {
            return constant == (isNegated ? .false : .true) ? Self.always : Self.never
        }
        switch condition {
        case .comparison(.column(let path), let comparison, .literal(let value)):
            return compare(path, isNegated ? comparison.opposite : comparison, value)
        case .comparison(.literal(let value), let comparison, .column(let path)):
            return compare(path, (isNegated ? comparison.opposite : comparison).flipped, value)
        case .isIn(.column(let path), let list): return isIn(path, list, isNegated: isNegated)
        case .between(let operand, let low, let high):
            let (lower, upper) = (
                Where.comparison(operand, .greaterOrEqual, low), Where.comparison(operand, .lessOrEqual, high)
            )
            return render(isNegated ? .or([.not(lower), .not(upper)]) : .and([lower, upper]))
        case .isNull(.column(let path)):
            // Nothing tells both what is null and what is missing.
            guard let column = KintoColumn(path), column.isID || column.isStamp else { return nil }
            return isNegated ? Self.always : Self.never
        case .truth(.column(let path)): return truth(path, isNegated: isNegated)
        default: return nil
        }
    }

    /// Each value once.
    private static func distinct(_ values: [Value]) -> [Value] {
        values.reduce(into: []) { known, value in
            if !known.contains(where: { KintoCondition.isSame($0, value) }) { known.append(value) }
        }
    }
}

extension RenderedClause {
    fileprivate init(_ conditions: KintoConditions) {
        self.init(text: conditions.text, conditionCount: conditions.count)
    }

    fileprivate init(_ column: KintoColumn, _ condition: KintoCondition) {
        self.init(KintoConditions(column.name, condition))
    }
}

// MARK: - Comparisons

extension KintoFilter {
    private func compare(_ path: ColumnPath, _ comparison: Where.Comparison, _ value: Value)
        -> RenderedClause?
    {
        if value == .null { return Self.never }
        guard let column = KintoColumn(path) else { return nil }
        if column.isID { return compareID(column, comparison, value) }
        if column.isStamp { return compareStamp(column, comparison, value) }
        guard let values = sameValues(value, in: path) else { return nil }
        if comparison == .equal { return RenderedClause(column, .any(of: values)) }
        guard !mixedColumns.contains(path) else { return nil }
        let condition: KintoCondition? =
            switch value {
            case .text(let text): self.text(comparison, text)
            case .bool(let isTrue): bool(comparison, isTrue)
            default: number(comparison, value)
            }
        return condition.map { RenderedClause(column, $0) }
    }

    /// What is the same as a value in a clause, in Kinto's kinds; nil for what Kinto cannot be told, or not exactly.
    private func sameValues(_ value: Value, in path: ColumnPath) -> [Value]? {
        switch value {
        case .bool(let isTrue): [value, .integer(isTrue ? 1 : 0)]
        case .integer, .double: number(value).map { [value] + bools(like: $0) }
        // Lists and objects count as their text.
        case .text(let text) where mixedColumns.contains(path) && "[{".utf8.contains(text.utf8.first ?? 0):
            nil
        case .text(let text): text.utf8.contains(0) ? nil : [value]
        case .null, .json: nil
        }
    }

    private func bools(like number: Double) -> [Value] { number == 0 ? [false] : number == 1 ? [true] : [] }

    /// A number that JSON can hold, near enough to compare it with 0 and 1.
    private func number(_ value: Value) -> Double? {
        switch value {
        case .integer(let number): Double(number)
        case .double(let number) where number.isFinite && !number.isAmbiguousInKinto: number
        default: nil
        }
    }

    private func text(_ comparison: Where.Comparison, _ text: String) -> KintoCondition? {
        var condition = KintoCondition.text
        if comparison == .notEqual {
            condition.excluded = [.text(text)]
            return condition
        }
        guard storage.sortsTextByBytes else { return nil }
        condition.bound(comparison, .text(text))
        return condition
    }

    /// Numbers, and the truth values that count as such, as far as both lie in one stretch.
    private func number(_ comparison: Where.Comparison, _ value: Value) -> KintoCondition {
        var condition = KintoCondition.numbers
        let (isFalseIn, isTrueIn) = (holds(false, comparison, value), holds(true, comparison, value))
        if comparison == .notEqual {
            condition.excluded = [value] + [false, true].filter { !holds($0, comparison, value) }
            return condition
        }
        condition.bound(comparison, value)
        guard comparison == .greater || comparison == .greaterOrEqual else { return condition }
        // In Kinto's order both come behind all numbers.
        condition.upper = KintoCondition.Bound(value: isTrueIn ? true : false, isIncluded: isTrueIn)
        if isTrueIn, !isFalseIn { condition.excluded = [false] }
        return condition
    }

    private func holds(_ value: Value, _ comparison: Where.Comparison, _ other: Value) -> Bool {
        comparison.holds(Value.order(value, other))
    }

    /// Truth values, and the numbers that count as such.
    private func bool(_ comparison: Where.Comparison, _ isTrue: Bool) -> KintoCondition {
        switch comparison {
        case .less, .lessOrEqual:
            let values = [false, true].filter { holds($0, comparison, .bool(isTrue)) }
            return .any(of: values.flatMap { value in [value, value == true ? 1 : 0] })
        default: return number(comparison, .integer(isTrue ? 1 : 0))
        }
    }

    private func compareID(_ column: KintoColumn, _ comparison: Where.Comparison, _ value: Value)
        -> RenderedClause?
    {
        guard case .text(let text) = value else {
            // Text comes behind all numbers.
            return comparison.holds(.descending) ? Self.always : Self.never
        }
        guard !text.utf8.contains(0) else { return nil }
        return RenderedClause(column, bounded(comparison, value))
    }

    private func compareStamp(_ column: KintoColumn, _ comparison: Where.Comparison, _ value: Value)
        -> RenderedClause?
    {
        // Kinto refuses what is no time, and lists of times: conditions on several are not merged into one.
        guard case .integer(let time) = value, 0...latestTime ~= time, comparison != .notEqual else {
            return nil
        }
        return RenderedClause(column, bounded(comparison, value))
    }

    /// A condition on a column that holds nothing but values of one kind.
    private func bounded(_ comparison: Where.Comparison, _ value: Value) -> KintoCondition {
        var condition = KintoCondition()
        switch comparison {
        case .equal: condition.allowed = [value]
        case .notEqual: condition.excluded = [value]
        default: condition.bound(comparison, value)
        }
        return condition
    }
}

// MARK: - Lists and truth

extension KintoFilter {
    private func isIn(_ path: ColumnPath, _ list: [Where.Operand], isNegated: Bool) -> RenderedClause? {
        var values: [Value] = []
        for operand in list {
            guard case .literal(let value) = operand else { return nil }
            values.append(value)
        }
        if isNegated { return isNotIn(path, values) }
        guard !values.isEmpty else { return Self.never }
        let parts = values.compactMap { compare(path, .equal, $0) }
        return parts.count == values.count ? any(parts) : nil
    }

    private func isNotIn(_ path: ColumnPath, _ values: [Value]) -> RenderedClause? {
        guard !values.isEmpty else { return Self.always }
        // That something is not in a list with a null in it is never true.
        guard !values.contains(.null) else { return Self.never }
        let parts = values.compactMap { compare(path, .notEqual, $0) }
        guard parts.count == values.count else { return nil }
        // Whether it holds text or numbers, nobody knows.
        let textCount = values.count { if case .text = $0 { true } else { false } }
        guard textCount == 0 || textCount == values.count else { return nil }
        return parts.count > 1 ? all(parts) : parts.first
    }

    private func truth(_ path: ColumnPath, isNegated: Bool) -> RenderedClause? {
        guard let column = KintoColumn(path), !column.isStamp else { return nil }
        guard !column.isID else { return isNegated ? Self.always : Self.never }
        guard isNegated else {
            var condition = KintoCondition.numbers
            condition.excluded = [0, false]
            return RenderedClause(column, condition)
        }
        // Text is false as well.
        return mixedColumns.contains(path) ? nil : RenderedClause(column, .any(of: [0, false]))
    }
}

extension Double {
    /// Whether Kinto may hold an integer that is rounded to it here: it has integers of any size, and here they have 64 bits.
    var isAmbiguousInKinto: Bool { 0x1p63...0x1p64 ~= magnitude }
}

extension KintoCondition {
    /// Sets the end of the stretch that a comparison speaks of.
    fileprivate mutating func bound(_ comparison: Where.Comparison, _ value: Value) {
        switch comparison {
        case .less: upper = Bound(value: value, isIncluded: false)
        case .lessOrEqual: upper = Bound(value: value, isIncluded: true)
        case .greater: lower = Bound(value: value, isIncluded: false)
        case .greaterOrEqual: lower = Bound(value: value, isIncluded: true)
        case .equal, .notEqual: break
        }
    }
}

// MARK: - What is sent

extension KintoFilter {
    /// A clause as far as the server is asked.
    struct Filter: Sendable {
        var conditions = KintoConditions()
        /// Whether the server answers with exactly the rows that match.
        var isExact = true
    }

    /// A clause as far as the server can be asked, and takes so much.
    func rendered(_ clause: Where?) -> Filter {
        guard let clause else { return Filter() }
        guard let rendered = render(clause) else { return Filter(isExact: false) }
        let conditions = KintoConditions(rendered.text)
        guard rendered.text.utf8.count > Self.lengthLimit else {
            return Filter(conditions: conditions, isExact: rendered.isExact)
        }
        let wide = conditions.widened(sortsTextByBytes: storage.sortsTextByBytes)
        guard wide.text.utf8.count <= Self.lengthLimit else { return Filter(isExact: false) }
        return Filter(conditions: wide, isExact: false)
    }
}
