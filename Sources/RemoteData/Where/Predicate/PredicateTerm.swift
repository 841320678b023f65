/// A value in a predicate: one operand, or several of which the row decides.
///
/// `age ?? 0` is the column where it is not null, and otherwise 0. The guards of the cases exclude each other
/// and cover every row, and none is ever unknown.
struct PredicateTerm: Sendable {
    struct Case: Sendable {
        var guards: [Where] = []
        var value: Operand
    }

    /// An operand, and whether it may be null.
    enum Operand: Sendable {
        case column(ColumnPath, mayBeNull: Bool)
        case literal(Value)
    }

    var cases: [Case]

    init(cases: [Case]) { self.cases = cases }

    init(_ value: Operand) { cases = [Case(value: value)] }

    /// A condition on the value, case by case.
    func condition(_ condition: (Operand) throws(RemoteDataError) -> Where) throws(RemoteDataError) -> Where {
        try Self.condition([self]) { values throws(RemoteDataError) in try condition(values[0]) }
    }

    /// A condition on several values, for each combination of their cases.
    ///
    /// - Throws: ``RemoteDataError`` when there are more than 256 combinations.
    static func condition(
        _ terms: [PredicateTerm],
        _ condition: ([Operand]) throws(RemoteDataError) -> Where
    ) throws(RemoteDataError) -> Where {
        var combinations: [(guards: [Where], values: [Operand])] = [([], [])]
        for term in terms {
            combinations = combinations.flatMap { combination in
                term.cases.map { (combination.guards + $0.guards, combination.values + [$0.value]) }
            }
            guard combinations.count <= 256 else {
                throw RemoteDataError(
                    .invalidClause,
                    "The predicate has too many alternatives in one comparison."
                )
            }
        }
        var parts: [Where] = []
        for (guards, values) in combinations { parts.append(.all(guards + [try condition(values)])) }
        return .any(parts)
    }

    /// The value with something else in place of null.
    func replacingNull(with other: PredicateTerm) -> PredicateTerm {
        PredicateTerm(
            cases: cases.flatMap { one -> [Case] in
                let replaced = other.cases.map { Case(guards: one.guards + $0.guards, value: $0.value) }
                switch one.value {
                case .literal(.null): return replaced
                case .literal, .column(_, mayBeNull: false): return [one]
                case .column(let path, mayBeNull: true):
                    let isNull = Where.isNull(.column(path))
                    return [Case(guards: one.guards + [.not(isNull)], value: .column(path, mayBeNull: false))]
                        + other.cases.map { Case(guards: one.guards + [isNull] + $0.guards, value: $0.value) }
                }
            }
        )
    }
}

extension PredicateTerm.Operand {
    var mayBeNull: Bool {
        switch self {
        case .column(_, let mayBeNull): mayBeNull
        case .literal(let value): value == .null
        }
    }

    /// The operand in the clause.
    var operand: Where.Operand {
        switch self {
        case .column(let path, _): .column(path)
        case .literal(let value): .literal(value)
        }
    }

    var literal: Value? {
        if case .literal(let value) = self { value } else { nil }
    }
}

// Conditions that are true when Swift's are, and what is constant already computed.
extension Where {
    static func constant(_ value: Bool) -> Where { .truth(.literal(.bool(value))) }

    /// All of the parts; constants and nested lists are dissolved.
    static func all(_ parts: [Where]) -> Where {
        let parts = parts.flatMap { part -> [Where] in
            if case .and(let inner) = part { inner } else { [part] }
        }
        .filter { $0 != Where.constant(true) }
        if parts.contains(.constant(false)) { return .constant(false) }
        return parts.isEmpty ? .constant(true) : parts.count == 1 ? parts[0] : .and(parts)
    }

    /// Any of the parts; constants and nested lists are dissolved.
    static func any(_ parts: [Where]) -> Where {
        let parts = parts.flatMap { part -> [Where] in if case .or(let inner) = part { inner } else { [part] }
        }
        .filter { $0 != Where.constant(false) }
        if parts.contains(.constant(true)) { return .constant(true) }
        return parts.isEmpty ? .constant(false) : parts.count == 1 ? parts[0] : .or(parts)
    }

    static func truth(_ value: PredicateTerm.Operand, negated: Bool) -> Where {
        if let literal = value.literal { return .constant(isTrue(literal) == Truth(!negated)) }
        return negated ? .not(.truth(value.operand)) : .truth(value.operand)
    }

    /// Swift's `==`: nil is the same as nil, and never unknown.
    static func same(_ left: PredicateTerm.Operand, _ right: PredicateTerm.Operand, negated: Bool) -> Where {
        if let first = left.literal, let second = right.literal {
            let isSame = first == .null ? second == .null : compare(first, .equal, second) == .true
            return .constant(isSame != negated)
        }
        if left.literal == .null { return isNull(right, negated: negated) }
        if right.literal == .null { return isNull(left, negated: negated) }
        let (first, second) = (left.operand, right.operand)
        let nulls = [left, right].filter(\.mayBeNull).map { Where.isNull($0.operand) }
        guard negated else {
            let same = Where.comparison(first, .equal, second)
            return nulls.count == 2 ? .or([same, .and(nulls)]) : same
        }
        let differ = Where.comparison(first, .notEqual, second)
        guard nulls.count == 2 else { return .any([differ] + nulls) }
        return .or([differ, .and([nulls[0], .not(nulls[1])]), .and([.not(nulls[0]), nulls[1]])])
    }

    private static func isNull(_ value: PredicateTerm.Operand, negated: Bool) -> Where {
        guard value.mayBeNull else { return .constant(negated) }
        return negated ? .not(.isNull(value.operand)) : .isNull(value.operand)
    }

    /// Swift's `<` and its kin, on values that are not null.
    static func ordered(
        _ left: PredicateTerm.Operand,
        _ comparison: Comparison,
        _ right: PredicateTerm.Operand
    ) -> Where {
        if let left = left.literal, let right = right.literal {
            return .constant(compare(left, comparison, right) == .true)
        }
        return .comparison(left.operand, comparison, right.operand)
    }

    /// Swift's `contains` on a list of captured values.
    static func isIn(_ value: PredicateTerm.Operand, _ list: [Value], negated: Bool) -> Where {
        if let literal = value.literal {
            return .constant(list.contains { isSame(literal, $0) } != negated)
        }
        let found = Where.isIn(value.operand, list.filter { $0 != .null }.map { .literal($0) })
        let isNull = Where.isNull(value.operand)
        let hasNull = list.contains(.null)
        guard value.mayBeNull else { return negated ? .not(found) : found }
        if negated { return hasNull ? .and([.not(found), .not(isNull)]) : .or([.not(found), isNull]) }
        return hasNull ? .or([found, isNull]) : found
    }

    private static func isSame(_ left: Value, _ right: Value) -> Bool {
        left == .null ? right == .null : compare(left, .equal, right) == .true
    }

    /// Whether a list in the row has an element.
    static func has(_ list: PredicateTerm.Operand, _ element: Value, negated: Bool) -> Where {
        let contains = Where.contains(list.operand, .any([element]))
        return negated ? .not(contains) : contains
    }

    /// Whether text fits a pattern.
    static func fits(_ value: PredicateTerm.Operand, _ pattern: LikePattern, negated: Bool) -> Where {
        if let literal = value.literal {
            return .constant((isLike(literal, LikeMatcher(pattern)) == .true) != negated)
        }
        let like = Where.like(value.operand, pattern)
        return negated ? .not(like) : like
    }
}

extension Where.LikePattern {
    /// A pattern for text that holds other text, starts or ends with it.
    init(literally text: String, anyPrefix: Bool, anySuffix: Bool = true) {
        let special: Set<Unicode.Scalar> = ["%", "_", "\\"]
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if special.contains(scalar) { escaped.append("\\") }
            escaped.append(scalar)
        }
        let needsEscape = escaped.count > text.unicodeScalars.count
        let pattern = (anyPrefix ? "%" : "") + String(escaped) + (anySuffix ? "%" : "")
        self.init(pattern, escape: needsEscape ? "\\" : nil)
    }
}
