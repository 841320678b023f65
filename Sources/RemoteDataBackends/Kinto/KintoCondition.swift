import RemoteData

/// What Kinto is asked about one column: a stretch of its order of values, those in a list, those not in another.
///
/// Kinto's order is `null`, text, numbers, `false`, `true`, lists, objects, and behind them all what is missing.
struct KintoCondition: Sendable, Equatable {
    /// An end of a stretch.
    struct Bound: Sendable, Equatable {
        var value: Value
        var isIncluded: Bool
    }

    /// The least of all numbers, in front of which lies text.
    static let leastNumber = Value.double(-Double.greatestFiniteMagnitude)

    /// The only values; nil for all.
    var allowed: [Value]?
    var lower: Bound?
    var upper: Bound?
    /// Values left out.
    var excluded: [Value] = []

    /// All text.
    static var text: KintoCondition {
        KintoCondition(
            lower: Bound(value: "", isIncluded: true),
            upper: Bound(value: leastNumber, isIncluded: false)
        )
    }

    /// All numbers and truth values.
    static var numbers: KintoCondition {
        KintoCondition(
            lower: Bound(value: leastNumber, isIncluded: true),
            upper: Bound(value: true, isIncluded: true)
        )
    }

    /// Some values.
    static func any(of values: [Value]) -> KintoCondition { KintoCondition(allowed: values) }

    /// Whether no value satisfies it.
    var isNever: Bool { allowed?.isEmpty ?? false }

    /// What satisfies both.
    ///
    /// - Parameters:
    ///   - other: Another one of the same column.
    ///   - sortsTextByBytes: Whether the server does. Where it does not, one of the two at most begins with a text, and one
    ///     ends.
    /// - Returns: The condition.
    func and(_ other: KintoCondition, sortsTextByBytes: Bool) -> KintoCondition {
        var result = KintoCondition()
        switch (allowed, other.allowed) {
        case (let first?, let second?):
            result.allowed = first.filter { value in second.contains { Self.isSame(value, $0) } }
        case (let first, let second): result.allowed = first ?? second
        }
        result.lower = Self.inner(lower, other.lower, .descending, sortsTextByBytes)
        result.upper = Self.inner(upper, other.upper, .ascending, sortsTextByBytes)
        result.excluded =
            excluded + other.excluded.filter { value in !excluded.contains { Self.isSame(value, $0) } }
        return result
    }

    /// The inner one of two ends of stretches, which sorts in an order in relation to the other.
    private static func inner(
        _ first: Bound?,
        _ second: Bound?,
        _ order: Order,
        _ sortsTextByBytes: Bool
    ) -> Bound? {
        guard let first, let second else { return first ?? second }
        let found = self.order(first.value, second.value, sortsTextByBytes) ?? order
        if found == .same { return first.isIncluded ? second : first }
        return found == order ? first : second
    }

    /// How two values sort; nil where the server alone knows.
    private static func order(_ left: Value, _ right: Value, _ sortsTextByBytes: Bool) -> Order? {
        let (first, second) = (rank(left), rank(right))
        guard first == second else { return first < second ? .ascending : .descending }
        guard case .text(let left) = left, case .text(let right) = right, !sortsTextByBytes else {
            return Value.order(left, right)
        }
        // The empty text is the least in every order.
        if left.isEmpty { return right.isEmpty ? .same : .ascending }
        return right.isEmpty ? .descending : nil
    }

    /// Whether two values are the same to Kinto: a number is no truth value.
    static func isSame(_ left: Value, _ right: Value) -> Bool {
        rank(left) == rank(right) && Value.order(left, right) == .same
    }

    private static func rank(_ value: Value) -> Int {
        switch value {
        case .null: 0
        case .text: 1
        case .integer, .double: 2
        case .bool: 3
        case .json: 4
        }
    }

    /// A stretch around the list, where there is one and the order of its values is known; nil where not.
    func widened(sortsTextByBytes: Bool) -> KintoCondition? {
        guard let values = allowed, var least = values.first, var greatest = values.first else { return nil }
        for value in values.dropFirst() {
            guard let first = Self.order(value, least, sortsTextByBytes),
                let last = Self.order(value, greatest, sortsTextByBytes)
            else { return nil }
            if first == .ascending { least = value }
            if last == .descending { greatest = value }
        }
        return KintoCondition(
            lower: Bound(value: least, isIncluded: true),
            upper: Bound(value: greatest, isIncluded: true)
        )
    }
}
