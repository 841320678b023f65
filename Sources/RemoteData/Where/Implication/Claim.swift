/// Something that is so or not for a row, never unknown: that a clause is true for it, or that it is not.
///
/// Null is a value like others here, so negation is that of everyday logic.
indirect enum Claim: Sendable {
    /// A column's value is in a set.
    case column(ColumnPath, ValueSet)
    /// Two columns compare in one of some ways.
    case pair(ColumnPair, ColumnPair.Outcomes)
    /// A column's value is text that a pattern fits, or is not.
    case like(ColumnPath, Where.LikePattern, Bool)
    /// A condition that is not looked into is true, or is not.
    case opaque(Where, Bool)
    /// All of these.
    case all([Claim])
    /// At least one of these.
    case any([Claim])

    static var always: Claim { .all([]) }
    static var never: Claim { .any([]) }
}

/// Two columns, in one order whichever way they were compared.
struct ColumnPair: Hashable, Sendable {
    /// How their values can compare.
    struct Outcomes: OptionSet, Sendable {
        let rawValue: UInt8

        static let ascending = Outcomes(rawValue: 1)
        static let same = Outcomes(rawValue: 2)
        static let descending = Outcomes(rawValue: 4)
        /// At least one is null.
        static let null = Outcomes(rawValue: 8)
        static let all: Outcomes = [.ascending, .same, .descending, .null]

        var complement: Outcomes { Self.all.subtracting(self) }
    }

    let left: ColumnPath
    let right: ColumnPath
}

extension Claim {
    /// That a clause is true, or that it is false, for a row.
    init(_ clause: Where, is truth: Bool) {
        switch clause {
        case .comparison(let left, let comparison, let right):
            self = .comparison(left, truth ? comparison : comparison.opposite, right)
        case .like(.column(let column), let pattern):
            let matches = Claim.matches(column, pattern)
            self = truth ? matches : .all([.column(column, .something), matches.negated])
        case .like(.literal(let value), let pattern):
            self = Claim(Where.isLike(value, LikeMatcher(pattern)), is: truth)
        case .isIn(let operand, let list): self = .isIn(operand, list, is: truth)
        // It is unknown for null only where there is any value, so what is false is not all that is not true.
        case .isAmong: self = .opaque(truth ? clause : .not(clause), true)
        case .between(let operand, let low, let high):
            let parts = [
                Claim(.comparison(operand, .greaterOrEqual, low), is: truth),
                Claim(.comparison(operand, .lessOrEqual, high), is: truth),
            ]
            self = truth ? .all(parts) : .any(parts)
        case .contains(.column(let column), _), .regex(.column(let column), _):
            self = .opaque(clause, [column], is: truth)
        case .distance(let distance):
            self = .opaque(clause, [distance.latitude, distance.longitude], is: truth)
        case .contains(.literal, _), .regex(.literal, _):
            self = Claim(clause.truth(of: Row(id: 0, json: Array("{}".utf8)[...])), is: truth)
        case .isNull(.column(let column)): self = .column(column, truth ? .null : .something)
        case .isNull(.literal(let value)): self = (value == .null) == truth ? .always : .never
        case .truth(.column(let column)):
            let others = ValueSet.trueNumbers.complement.intersection(.something)
            self = .column(column, truth ? .trueNumbers : others)
        case .truth(.literal(let value)): self = Claim(Where.isTrue(value), is: truth)
        case .and(let parts):
            let claims = parts.map { Claim($0, is: truth) }
            self = truth ? .all(claims) : .any(claims)
        case .or(let parts):
            let claims = parts.map { Claim($0, is: truth) }
            self = truth ? .any(claims) : .all(claims)
        case .not(let part): self = Claim(part, is: !truth)
        }
    }

    private init(_ found: Truth, is truth: Bool) { self = found == Truth(truth) ? .always : .never }

    /// That this is not so.
    var negated: Claim {
        switch self {
        case .column(let column, let set): .column(column, set.complement)
        case .pair(let pair, let outcomes): .pair(pair, outcomes.complement)
        case .like(let column, let pattern, let isSo): .like(column, pattern, !isSo)
        case .opaque(let clause, let isSo): .opaque(clause, !isSo)
        case .all(let claims): .any(claims.map(\.negated))
        case .any(let claims): .all(claims.map(\.negated))
        }
    }

    /// A condition that is unknown when, and only when, one of some columns is null.
    private static func opaque(_ clause: Where, _ columns: [ColumnPath], is truth: Bool) -> Claim {
        .all(columns.map { .column($0, .something) } + [.opaque(clause, truth)])
    }

    private static func comparison(
        _ left: Where.Operand,
        _ comparison: Where.Comparison,
        _ right: Where.Operand
    ) -> Claim {
        switch (left, right) {
        case (.literal(let left), .literal(let right)):
            Claim(Where.compare(left, comparison, right), is: true)
        case (.column(let column), .literal(let value)): .column(column, ValueSet(comparison, value))
        case (.literal(let value), .column(let column)): .column(column, ValueSet(comparison.flipped, value))
        case (.column(let left), .column(let right)): .pair(left, comparison, right)
        }
    }

    private static func pair(
        _ left: ColumnPath,
        _ comparison: Where.Comparison,
        _ right: ColumnPath
    ) -> Claim {
        // What is not null is the same as itself.
        if left == right { return comparison.holds(.same) ? .column(left, .something) : .never }
        let isInOrder = left.names.lexicographicallyPrecedes(right.names) {
            $0.utf8.lexicographicallyPrecedes($1.utf8)
        }
        guard isInOrder else { return .pair(right, comparison.flipped, left) }
        var outcomes: ColumnPair.Outcomes = []
        if comparison.holds(.ascending) { outcomes.insert(.ascending) }
        if comparison.holds(.same) { outcomes.insert(.same) }
        if comparison.holds(.descending) { outcomes.insert(.descending) }
        return .pair(ColumnPair(left: left, right: right), outcomes)
    }

    private static func isIn(_ operand: Where.Operand, _ list: [Where.Operand], is truth: Bool) -> Claim {
        let values = list.compactMap { if case .literal(let value) = $0 { value } else { nil } }
        guard case .column(let column) = operand, values.count == list.count else {
            let parts = list.map { Claim(.comparison(operand, .equal, $0), is: truth) }
            return truth ? .any(parts) : .all(parts)
        }
        if truth { return .column(column, ValueSet(anyOf: values)) }
        // Not in an empty list is everything, null too; not in one with null is nothing for sure.
        if values.isEmpty { return .always }
        if values.contains(.null) { return .never }
        return .column(column, ValueSet(anyOf: values).complement.intersection(.something))
    }

    /// That a column holds text that a pattern fits; as a set where one says it exactly.
    private static func matches(_ column: ColumnPath, _ pattern: Where.LikePattern) -> Claim {
        let tokens = LikeTokens(pattern)
        if tokens.isBroken { return .never }
        let prefix = tokens.prefix
        if !tokens.ignoresCase, !prefix.mayBeginContainer {
            if tokens.isText { return .column(column, ValueSet(.equal, .text(prefix))) }
            if tokens.isPrefix { return .column(column, ValueSet(prefix: prefix)) }
        }
        return .like(column, pattern, true)
    }
}
