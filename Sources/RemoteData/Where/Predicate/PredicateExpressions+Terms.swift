import Foundation

extension PredicateExpressions.Variable: TermExpression, PlaceExpression {
    func place(_ translator: PredicateTranslator) -> PredicatePlace? {
        if case .place(let place) = translator.meanings[key] { place } else { nil }
    }

    func term(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateTerm {
        if case .term(let term) = translator.meanings[key] { return term }
        guard let place = place(translator), !place.keyPaths.isEmpty else {
            throw translator.unsupported("The element itself", "compare its properties")
        }
        return try translator.columns.term(place)
    }
}

extension PredicateExpressions.KeyPath: TermExpression, PlaceExpression {
    func place(_ translator: PredicateTranslator) -> PredicatePlace? {
        guard keyPath != \String.isEmpty, var place = translator.place(root) else { return nil }
        place.keyPaths.append(keyPath)
        place.mayBeNull = place.mayBeNull || Output.self is any AnyOptional.Type
        return place
    }

    func term(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateTerm {
        if keyPath == \String.isEmpty {
            let root = try translator.term(root)
            let isEmpty = try root.condition { .same($0, .literal(""), negated: false) }
            let isFilled = try root.condition { .same($0, .literal(""), negated: true) }
            return PredicateTerm(cases: [
                .init(guards: [isEmpty], value: .literal(true)),
                .init(guards: [isFilled], value: .literal(false)),
            ])
        }
        guard let place = place(translator) else {
            throw translator.unsupported(
                "A property of a computed value",
                "use properties of the element itself"
            )
        }
        return try translator.columns.term(place)
    }
}

extension PredicateExpressions.ForcedUnwrap: TermExpression, PlaceExpression {
    func place(_ translator: PredicateTranslator) -> PredicatePlace? {
        var place = translator.place(inner)
        place?.mayBeNull = false
        return place
    }

    func term(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateTerm {
        // For a row where this is null Swift fails, so its case may go.
        let cases = try translator.term(inner).cases.compactMap { one -> PredicateTerm.Case? in
            switch one.value {
            case .literal(.null): nil
            case .literal: one
            case .column(let path, _): .init(guards: one.guards, value: .column(path, mayBeNull: false))
            }
        }
        return PredicateTerm(cases: cases)
    }
}

extension PredicateExpressions.NilCoalesce: TermExpression {
    func term(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateTerm {
        try translator.term(lhs).replacingNull(with: translator.term(rhs))
    }
}

extension PredicateExpressions.Conditional: TermExpression {
    func term(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateTerm {
        let isTrue = try translator.condition(test, negated: false)
        let isFalse = try translator.condition(test, negated: true)
        let first = try translator.term(trueBranch).cases
        let second = try translator.term(falseBranch).cases
        return PredicateTerm(
            cases: first.map { .init(guards: [isTrue] + $0.guards, value: $0.value) }
                + second.map { .init(guards: [isFalse] + $0.guards, value: $0.value) }
        )
    }
}

extension PredicateExpressions.OptionalFlatMap: TermExpression, PlaceExpression {
    /// `address?.city` is a place, null where either is.
    func place(_ translator: PredicateTranslator) -> PredicatePlace? {
        guard var wrapped = translator.place(wrapped) else { return nil }
        wrapped.mayBeNull = false
        var inner = translator
        inner.bind(variable, to: .place(wrapped))
        var place = inner.place(transform)
        place?.mayBeNull = true
        return place
    }

    func term(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateTerm {
        if let place = place(translator) { return try translator.columns.term(place) }
        var cases: [PredicateTerm.Case] = []
        for one in try translator.term(wrapped).cases {
            guard one.value.literal != .null else {
                cases.append(one)
                continue
            }
            var guards = one.guards
            if case .column(let path, mayBeNull: true) = one.value {
                let isNull = Where.isNull(.column(path))
                cases.append(.init(guards: guards + [isNull], value: .literal(.null)))
                guards.append(.not(isNull))
            }
            let mapped = try mapped(one.value, translator).cases
            cases += mapped.map { .init(guards: guards + $0.guards, value: $0.value) }
        }
        return PredicateTerm(cases: cases)
    }

    /// The transform of a value that is not null.
    private func mapped(
        _ value: PredicateTerm.Operand,
        _ translator: PredicateTranslator
    ) throws(RemoteDataError) -> PredicateTerm {
        var inner = translator
        if var place = translator.place(wrapped) {
            place.mayBeNull = false
            inner.bind(variable, to: .place(place))
        } else if case .column(let path, _) = value {
            inner.bind(variable, to: .term(PredicateTerm(.column(path, mayBeNull: false))))
        } else {
            inner.bind(variable, to: .term(PredicateTerm(value)))
        }
        return try inner.term(transform)
    }
}
