public import Foundation

extension Where {
    /// Translates a `#Predicate` into a clause that matches the rows of the elements for which the predicate
    /// is true.
    ///
    /// Translated are `== != < <= > >=`, `&& || !`, `contains` on a captured list or range, `contains` on an
    /// array or set of the element, `contains` and `starts(with:)` on text, `isEmpty` on text, `== nil`, `??`,
    /// `?.`, `!`, `flatMap`, `if let`, `?:`, bare Booleans, nested key paths, and whatever is computed from
    /// captured values alone. Swift's meaning is
    /// kept: `age != 5` is true for nil, so it becomes `age <> 5 OR age IS NULL`. A row for which a forced
    /// unwrap would fail is not matched by that comparison.
    ///
    /// A key path becomes the column under which the element encodes the property, `CodingKeys` included:
    /// made-up elements are decoded and encoded to see which column holds the property's value. An element
    /// that cannot be made up (its initializer refuses made-up values, or an enum has raw values and is not
    /// `CaseIterable`) is asked for a coding key of the property's name.
    ///
    /// Text compares by UTF-8 bytes and scalars in tables, where Swift compares by canonical equivalence and
    /// whole characters: the two differ for text that is not in one normal form, and for `contains` of a part
    /// of a composed character. Dates compare to the precision of the convention.
    ///
    /// - Parameters:
    ///   - predicate: The predicate.
    ///   - dates: How the table writes dates.
    /// - Throws: ``RemoteDataError`` with code `invalidClause` naming what cannot be translated.
    /// - Complexity: O(size of the predicate), and for each key path seen for the first time some decoding
    ///   and encoding of made-up elements.
    public init<Element: Codable>(
        _ predicate: Predicate<Element>,
        dates: DateConvention = .epochMilliseconds
    ) throws(RemoteDataError) {
        var translator = PredicateTranslator(columns: ColumnResolver(Element.self, dates: dates))
        translator.bind(predicate.variable, to: .place(PredicatePlace()))
        self = try translator.condition(predicate.expression, negated: false)
    }
}
