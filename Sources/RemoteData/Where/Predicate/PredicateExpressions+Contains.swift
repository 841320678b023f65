import Foundation

extension PredicateExpressions.SequenceContains: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        if let list = try translator.constant(sequence) {
            if let range = list as? any ConstantRange {
                return try translator.condition(element, in: range.bounds(translator), negated: negated)
            }
            var values: [Value] = []
            for element in list { values.append(try translator.value(element)) }
            return try translator.term(element).condition { .isIn($0, values, negated: negated) }
        }
        if LHS.Output.self is any ListInJSON.Type {
            let value = try translator.element(element)
            return try translator.term(sequence).condition { .has($0, value, negated: negated) }
        }
        guard LHS.Output.self == String.self, let element = try translator.constant(element) as? Character
        else {
            throw translator.unsupported(
                "contains on \(LHS.Output.self) inside a row",
                "keep what is searched in an array, or in a column of its own"
            )
        }
        let pattern = Where.LikePattern(literally: String(element), anyPrefix: true)
        return try translator.term(sequence).condition { .fits($0, pattern, negated: negated) }
    }
}

/// A collection that is an array in JSON, with its elements as they are encoded by themselves.
private protocol ListInJSON {}

extension Array: ListInJSON {}

extension Set: ListInJSON {}

extension PredicateTranslator {
    /// What is looked for in a list of the row.
    fileprivate func element(_ expression: some PredicateExpression) throws(RemoteDataError) -> Value {
        guard let captured = try constant(expression) else {
            throw unsupported("contains with a value of the row", "what is looked for must be captured")
        }
        let value = try value(captured)
        guard value != .null else {
            throw unsupported("contains with nil on a list inside a row", "nothing is the same as null there")
        }
        return value
    }
}

extension PredicateExpressions.CollectionContainsCollection: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        try translator.fits(base, other, "contains", anyPrefix: true, negated: negated)
    }
}

extension PredicateExpressions.SequenceStartsWith: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        try translator.fits(base, prefix, "starts(with:)", anyPrefix: false, negated: negated)
    }
}

extension PredicateTranslator {
    fileprivate func fits<Base: PredicateExpression>(
        _ base: Base,
        _ part: some PredicateExpression,
        _ name: String,
        anyPrefix: Bool,
        negated: Bool
    ) throws(RemoteDataError) -> Where {
        guard Base.Output.self == String.self else {
            throw unsupported("\(name) on \(Base.Output.self)", "it is for text")
        }
        let text: String? =
            switch try constant(part) {
            case let text as String: text
            case let text as Substring: String(text)
            default: nil
            }
        guard let text else {
            throw unsupported("\(name) with text of the row", "the text looked for must be captured")
        }
        let pattern = Where.LikePattern(literally: text, anyPrefix: anyPrefix)
        return try term(base).condition { .fits($0, pattern, negated: negated) }
    }
}

// Ranges.
extension PredicateExpressions.RangeExpressionContains: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        try translator.checkOrder(of: Element.Output.self)
        if let range = try translator.constant(range) as? any ConstantRange {
            return try translator.condition(element, in: range.bounds(translator), negated: negated)
        }
        guard let range = range as? any RangeOfTerms else { throw translator.unsupported(self) }
        return try translator.condition(element, in: range.bounds(translator), negated: negated)
    }
}

/// The ends of a range; nil where it is open.
struct PredicateBounds {
    var lower: PredicateTerm?
    var upper: PredicateTerm?
    var includesUpper = true
}

/// A range whose ends are expressions of their own.
protocol RangeOfTerms {
    func bounds(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateBounds
}

extension PredicateExpressions.Range: RangeOfTerms {
    func bounds(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateBounds {
        PredicateBounds(
            lower: try translator.term(lower),
            upper: try translator.term(upper),
            includesUpper: false
        )
    }
}

extension PredicateExpressions.ClosedRange: RangeOfTerms {
    func bounds(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateBounds {
        PredicateBounds(lower: try translator.term(lower), upper: try translator.term(upper))
    }
}

/// A range that was captured whole.
protocol ConstantRange {
    func bounds(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateBounds
}

extension Range: ConstantRange {
    func bounds(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateBounds {
        PredicateBounds(
            lower: try translator.literal(lowerBound),
            upper: try translator.literal(upperBound),
            includesUpper: false
        )
    }
}

extension ClosedRange: ConstantRange {
    func bounds(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateBounds {
        PredicateBounds(lower: try translator.literal(lowerBound), upper: try translator.literal(upperBound))
    }
}

extension PartialRangeFrom: ConstantRange {
    func bounds(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateBounds {
        PredicateBounds(lower: try translator.literal(lowerBound))
    }
}

extension PartialRangeThrough: ConstantRange {
    func bounds(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateBounds {
        PredicateBounds(upper: try translator.literal(upperBound))
    }
}

extension PartialRangeUpTo: ConstantRange {
    func bounds(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateBounds {
        PredicateBounds(upper: try translator.literal(upperBound), includesUpper: false)
    }
}

extension PredicateTranslator {
    fileprivate func condition(
        _ element: some PredicateExpression,
        in bounds: PredicateBounds,
        negated: Bool
    ) throws(RemoteDataError) -> Where {
        let element = try term(element)
        var parts: [Where] = []
        if let lower = bounds.lower {
            parts.append(
                try PredicateTerm.condition([element, lower]) {
                    .ordered($0[0], negated ? .less : .greaterOrEqual, $0[1])
                }
            )
        }
        if let upper = bounds.upper {
            let inside: Where.Comparison = bounds.includesUpper ? .lessOrEqual : .less
            let outside: Where.Comparison = bounds.includesUpper ? .greater : .greaterOrEqual
            parts.append(
                try PredicateTerm.condition([element, upper]) {
                    .ordered($0[0], negated ? outside : inside, $0[1])
                }
            )
        }
        return negated ? .any(parts) : .all(parts)
    }
}
