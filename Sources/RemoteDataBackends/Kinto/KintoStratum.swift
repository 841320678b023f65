import RemoteData

/// A stretch of an order that Kinto can be asked for, as one of those that lie behind a key, one behind the other.
///
/// The rows behind one with the name `N` and the id `I` are those of the same name behind that id, and then those behind that
/// name. What sorts behind a value is compared by the server, so this is right for any collation.
struct KintoStratum: Sendable, Equatable {
    /// What its rows have in common.
    var conditions = KintoConditions()
    /// Columns that nothing but rows without a value counts of: lists and objects are in the answer as well.
    var missing: [ColumnPath] = []
    /// What is to be looked for first, because it would be passed over; nil for nothing.
    var probe: Probe?

    /// Lists and objects in a column, in front of rows in which it is missing.
    struct Probe: Sendable, Equatable {
        let column: KintoColumn
        let path: ColumnPath
        let conditions: KintoConditions
    }

    /// The whole of an order.
    static let whole = KintoStratum()

    /// The stretches behind a key, or those in front of it, read backwards.
    ///
    /// - Parameters:
    ///   - key: The key, with as many values as the sort has terms.
    ///   - sort: The sort the key is of.
    ///   - order: The same in Kinto's terms.
    ///   - isReversed: Whether it is read backwards.
    ///   - row: The row whose key it is, where there is one: it tells what is missing from what is null.
    /// - Returns: At least one.
    /// - Throws: `RemoteDataError` with code `invalidRequest` for a key with a list or an object in it, or an id that is no
    ///   text.
    static func behind(
        _ key: Key,
        _ sort: [SortTerm],
        _ order: KintoOrder,
        isReversed: Bool,
        row: Row? = nil
    ) throws(RemoteDataError) -> [KintoStratum] {
        guard case .text = key.id else {
            throw RemoteDataError(
                .invalidRequest,
                "The ids of Kinto are text: there is nothing behind \(key.id)."
            )
        }
        var strata: [KintoStratum] = []
        var same = KintoStratum()
        for term in order.terms {
            let value = zip(sort, key.values).first { $0.0.column == term.term.column }?.1 ?? .null
            if case .json = value {
                throw RemoteDataError(
                    .invalidRequest,
                    "Kinto cannot be asked for what sorts behind a list or an object."
                )
            }
            if case .double(let number) = value, number.isAmbiguousInKinto {
                throw RemoteDataError(
                    .invalidRequest,
                    "Kinto cannot be asked for what sorts behind the number \(number) in \(term.term.column): it may hold it more exactly."
                )
            }
            let isAscending = term.term.isAscending != isReversed
            let isMissing = value == .null && row.map { !$0.holds(term.term.column) } ?? term.takesMissing
            // The literal `nil` would be a null.
            let found = isMissing ? Value?.none : value
            if let beyond = same.beyond(found, term, isAscending: isAscending) {
                strata.insert(beyond, at: 0)
            }
            same = same.with(found, term)
        }
        let isAscending = order.isIDDescending == isReversed
        strata.insert(same.narrowed("id", .beyond(key.id.value, isAscending: isAscending)), at: 0)
        return strata
    }

    /// Its rows with a value; nil for those in which it is missing.
    private func with(_ value: Value?, _ term: KintoOrder.Term) -> KintoStratum {
        if let value { return narrowed(term.column.name, .any(of: [value])) }
        // Lists, objects, and what is missing.
        var result = narrowed(term.column.name, .beyond(true, isAscending: true))
        result.missing.append(term.term.column)
        return result
    }

    /// Its rows behind a value, or nil for a missing one; nil where none can be.
    private func beyond(_ value: Value?, _ term: KintoOrder.Term, isAscending: Bool) -> KintoStratum? {
        if let value { return narrowed(term.column.name, .beyond(value, isAscending: isAscending)) }
        guard !isAscending else { return nil }
        let last = KintoCondition.Bound(value: true, isIncluded: true)
        var result = narrowed(term.column.name, KintoCondition(upper: last))
        let others = narrowed(term.column.name, .beyond(true, isAscending: true))
        result.probe = Probe(column: term.column, path: term.term.column, conditions: others.conditions)
        return result
    }

    private func narrowed(_ name: String, _ condition: KintoCondition) -> KintoStratum {
        var result = self
        // Each column comes once, so there is nothing to be compared.
        result.conditions.add(KintoConditions(name, condition), sortsTextByBytes: false)
        return result
    }
}

extension KintoCondition {
    /// What sorts behind a value, be it of any kind.
    fileprivate static func beyond(_ value: Value, isAscending: Bool) -> KintoCondition {
        let bound = Bound(value: value, isIncluded: false)
        return isAscending ? KintoCondition(lower: bound) : KintoCondition(upper: bound)
    }
}
