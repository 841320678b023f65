extension SortTerm {
    /// Reads a sort order such as `name desc nulls first, address.city`.
    ///
    /// Terms are `column [ASC|DESC] [NULLS FIRST|LAST]`, with words in any case and columns spelled as in a
    /// where clause; ascending with nulls last unless said otherwise. Empty or blank text is no terms. A bare
    /// column cannot be called `asc`, `desc` or `nulls`, nor like a keyword of a where clause; such a name
    /// stands in double quotes.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidClause` that says what was expected; its `position`
    ///   counts Unicode scalars from zero, and is at most the length of the text.
    /// - Complexity: O(length of the text), which may be 1 MiB.
    public static func parse(_ text: String) throws(RemoteDataError) -> [SortTerm] {
        var parser = try SortParser(text)
        return try parser.parse()
    }
}

extension Sequence<SortTerm> {
    /// The terms as text that ``SortTerm/parse(_:)`` reads back as the same terms.
    public var sortText: String { map(\.description).joined(separator: ", ") }
}

/// Reads a sort order, one token ahead.
private struct SortParser {
    private static let keywords = ColumnPath.reserved.subtracting(["FIRST", "LAST"])

    private var scanner: ClauseScanner
    private var token: ClauseToken

    init(_ text: String) throws(RemoteDataError) {
        scanner = try ClauseScanner(text)
        token = try scanner.next()
    }

    mutating func parse() throws(RemoteDataError) -> [SortTerm] {
        guard token.kind != .end else { return [] }
        var ahead = scanner
        if token.keyword(among: ["ORDER"]) != nil, try ahead.next().keyword(among: ["BY"]) != nil {
            throw RemoteDataError.clause("A sort order is written without ORDER BY", at: token.start)
        }
        var terms = [try term()]
        while token.kind == .symbol(",") {
            token = try scanner.next()
            terms.append(try term())
        }
        guard token.kind == .end else {
            throw expected(
                "A comma, ASC, DESC, NULLS FIRST, NULLS LAST or the end of the sort order is expected"
            )
        }
        return terms
    }

    private func expected(_ message: String, note: String = "") -> RemoteDataError {
        .clause("\(message), not \(token.name)\(note)", at: token.start)
    }

    private mutating func takes(_ word: String) throws(RemoteDataError) -> Bool {
        guard token.keyword(among: [word]) != nil else { return false }
        token = try scanner.next()
        return true
    }

    private mutating func term() throws(RemoteDataError) -> SortTerm {
        let column = try column()
        let isDescending = try takes("DESC")
        if !isDescending { _ = try takes("ASC") }
        guard try takes("NULLS") else { return SortTerm(column, ascending: !isDescending) }
        let nullsFirst = try takes("FIRST")
        if !nullsFirst {
            guard try takes("LAST") else { throw expected("FIRST or LAST is expected after NULLS") }
        }
        return SortTerm(column, ascending: !isDescending, nullsFirst: nullsFirst)
    }

    private mutating func column() throws(RemoteDataError) -> ColumnPath {
        let first = token
        switch first.kind {
        case .path(let names):
            token = try scanner.next()
            return ColumnPath(names: names)
        case .word(let word):
            guard first.keyword(among: Self.keywords) == nil else {
                throw expected("A column is expected", note: "; one of that name stands in double quotes")
            }
            token = try scanner.next()
            guard token.kind != .symbol("(") else {
                throw RemoteDataError.clause(
                    "Functions such as \(first.name) are not supported",
                    at: first.start
                )
            }
            return ColumnPath(word)
        default: throw expected("A column is expected")
        }
    }
}
