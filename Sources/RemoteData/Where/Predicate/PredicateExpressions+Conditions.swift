import Foundation

extension PredicateExpressions.Conjunction: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        let parts = [
            try translator.condition(lhs, negated: negated), try translator.condition(rhs, negated: negated),
        ]
        return negated ? .any(parts) : .all(parts)
    }
}

extension PredicateExpressions.Disjunction: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        let parts = [
            try translator.condition(lhs, negated: negated), try translator.condition(rhs, negated: negated),
        ]
        return negated ? .all(parts) : .any(parts)
    }
}

extension PredicateExpressions.Negation: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        try translator.condition(wrapped, negated: !negated)
    }
}

extension PredicateExpressions.Equal: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        try translator.equality(lhs, rhs, negated: negated)
    }
}

extension PredicateExpressions.NotEqual: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        try translator.equality(lhs, rhs, negated: !negated)
    }
}

extension PredicateExpressions.Comparison: ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where {
        let comparison: Where.Comparison =
            switch op {
            case .lessThan: negated ? .greaterOrEqual : .less
            case .lessThanOrEqual: negated ? .greater : .lessOrEqual
            case .greaterThan: negated ? .lessOrEqual : .greater
            case .greaterThanOrEqual: negated ? .less : .greaterOrEqual
            @unknown default: throw translator.unsupported("The operator \(op)", "use <, <=, > or >=")
            }
        try translator.checkOrder(of: LHS.Output.self)
        return try PredicateTerm.condition([translator.term(lhs), translator.term(rhs)]) { values in
            .ordered(values[0], comparison, values[1])
        }
    }
}

extension PredicateTranslator {
    fileprivate func equality(
        _ left: some PredicateExpression,
        _ right: some PredicateExpression,
        negated: Bool
    ) throws(RemoteDataError) -> Where {
        try PredicateTerm.condition([term(left), term(right)]) { .same($0[0], $0[1], negated: negated) }
    }

    /// Refuses types whose order in Swift need not be the order of their JSON.
    func checkOrder<T>(of type: T.Type) throws(RemoteDataError) {
        let isNumber = type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
        let isKnown =
            isNumber || type == String.self || type == Date.self || type == Decimal.self || type == UUID.self
        guard isKnown else {
            throw unsupported(
                "The order of \(type) values",
                "compare something that is a number, text or date in JSON"
            )
        }
    }
}
