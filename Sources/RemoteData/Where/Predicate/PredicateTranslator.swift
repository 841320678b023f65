import Foundation

/// An expression that is true or false.
///
/// With `negated` the condition is one that is true exactly when the expression is false: negation is pushed
/// down to the comparisons, so that an unknown comparison never has to be negated.
protocol ConditionExpression {
    func condition(_ translator: PredicateTranslator, negated: Bool) throws(RemoteDataError) -> Where
}

/// An expression that is a value.
protocol TermExpression {
    func term(_ translator: PredicateTranslator) throws(RemoteDataError) -> PredicateTerm
}

/// An expression that may be a place in the row; nil when it is none.
protocol PlaceExpression {
    func place(_ translator: PredicateTranslator) -> PredicatePlace?
}

/// A property of the row's element, by the key paths that lead to it.
struct PredicatePlace: Sendable {
    var keyPaths: [any AnyKeyPath & Sendable] = []
    var mayBeNull = false
}

/// Walks the expressions of a predicate.
struct PredicateTranslator {
    /// What a variable stands for.
    enum Meaning: Sendable {
        case place(PredicatePlace)
        case term(PredicateTerm)
    }

    let columns: ColumnResolver
    private(set) var meanings: [PredicateExpressions.VariableID: Meaning] = [:]

    init(columns: ColumnResolver) { self.columns = columns }

    mutating func bind<T>(_ variable: PredicateExpressions.Variable<T>, to meaning: Meaning) {
        meanings[variable.key] = meaning
    }

    func condition(
        _ expression: some PredicateExpression,
        negated: Bool
    ) throws(RemoteDataError) -> Where {
        if let constant = try constant(expression) as? Bool { return .constant(constant != negated) }
        if let expression = expression as? any ConditionExpression {
            return try expression.condition(self, negated: negated)
        }
        return try term(expression).condition { .truth($0, negated: negated) }
    }

    func term<E: PredicateExpression>(_ expression: E) throws(RemoteDataError) -> PredicateTerm {
        if let constant = try constant(expression) { return try literal(constant) }
        if let expression = expression as? any TermExpression { return try expression.term(self) }
        guard let condition = expression as? any ConditionExpression else { throw unsupported(expression) }
        return PredicateTerm(cases: [
            .init(guards: [try condition.condition(self, negated: false)], value: .literal(true)),
            .init(guards: [try condition.condition(self, negated: true)], value: .literal(false)),
        ])
    }

    func place(_ expression: some PredicateExpression) -> PredicatePlace? {
        (expression as? any PlaceExpression)?.place(self)
    }

    /// The value of an expression that does not depend on the row; nil when it does.
    func constant<E: PredicateExpression>(_ expression: E) throws(RemoteDataError) -> E.Output? {
        do {
            return try expression.evaluate(PredicateBindings())
        } catch let error as PredicateError
            where error.debugDescription == PredicateError.undefinedVariable.debugDescription
        {
            // Not compared by ==, which for this error calls itself for ever in Foundation 6.3.
            return nil
        } catch {
            throw RemoteDataError(
                .invalidClause,
                "\(Self.name(expression)) in the predicate cannot be computed from the captured values.",
                cause: error
            )
        }
    }
}

// Literals.
extension PredicateTranslator {
    func literal<T>(_ value: T) throws(RemoteDataError) -> PredicateTerm {
        PredicateTerm(.literal(try self.value(value)))
    }

    /// A captured value as the table would hold it.
    func value(_ captured: some Any) throws(RemoteDataError) -> Value {
        var captured: Any = captured
        while let optional = captured as? any AnyOptional {
            guard let wrapped = optional.wrapped else { return .null }
            captured = wrapped
        }
        if let double = captured as? Double, double.isInfinite { return .double(double) }
        guard let value = columns.encoded(captured) else {
            throw RemoteDataError(
                .invalidClause,
                "A captured \(type(of: captured)) cannot be written as JSON."
            )
        }
        switch value {
        case .json:
            throw RemoteDataError(
                .invalidClause,
                "A captured \(type(of: captured)) is an array or object in JSON; compare its members one by one."
            )
        case .double where captured is any BinaryInteger:
            throw RemoteDataError(
                .invalidClause,
                "A captured \(type(of: captured)) does not fit 64 bits with a sign."
            )
        default: return value
        }
    }
}

// Errors.
extension PredicateTranslator {
    private static let hints = [
        "Arithmetic": "compute the value before the predicate",
        "UnaryMinus": "compute the value before the predicate",
        "SequenceContainsWhere": "lists inside a row cannot be searched",
        "SequenceAllSatisfy": "lists inside a row cannot be searched",
        "StringCaseInsensitiveCompare": "write the clause as text with ILIKE",
        "StringLocalizedStandardContains": "write the clause as text with ILIKE",
        "PredicateEvaluate": "translate each predicate and join the clauses",
        "StringContainsRegex": "use contains or starts(with:), or write the clause as text with LIKE",
    ]

    func unsupported(_ expression: some PredicateExpression) -> RemoteDataError {
        let name = Self.name(expression)
        return unsupported(name, Self.hints[name] ?? "write the clause as text if the table understands it")
    }

    func unsupported(_ what: String, _ advice: String) -> RemoteDataError {
        RemoteDataError(.invalidClause, "\(what) in a predicate cannot become a where clause; \(advice).")
    }

    /// The kind of the expression, without the types it is made of.
    static func name(_ expression: some PredicateExpression) -> String {
        String(String(describing: type(of: expression)).prefix { $0 != "<" })
    }
}

/// Tells an optional from other types, and looks into it, without knowing what it wraps.
protocol AnyOptional {
    var wrapped: Any? { get }
}

extension Optional: AnyOptional {
    var wrapped: Any? { self }
}
