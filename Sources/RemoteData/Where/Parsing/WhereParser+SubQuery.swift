// Sub-queries, whose words are keywords only where one stands.
extension WhereParser {
    /// Reads `(SELECT column FROM table WHERE …)`; nil, and reads nothing, where a list stands.
    mutating func subQuery() throws(RemoteDataError) -> SubQuery? {
        let start = self
        let open = token.start
        guard try takes(symbol: "("), token.keyword(among: ["SELECT"]) != nil else {
            self = start
            return nil
        }
        try advance()
        switch token.kind {
        case .word, .path: break
        case .symbol("*"), .symbol("-"), .number, .text, .end:
            throw expected("A column is expected after SELECT")
        case .symbol:
            // A list with a column of that name.
            self = start
            return nil
        }
        let column = try path("A column is expected after SELECT")
        guard token.keyword(among: ["FROM"]) != nil else { throw expected("FROM is expected") }
        try advance()
        let place = token
        let table = try path("A table is expected after FROM")
        guard table.names.count == 1 else {
            throw RemoteDataError.clause(
                "A table has one name; one with a dot in it stands in double quotes",
                at: place.start
            )
        }
        var filter: Where?
        if token.keyword(among: ["WHERE"]) != nil {
            try advance()
            filter = try deeper { parser throws(RemoteDataError) in try parser.condition() }
        }
        guard token.kind == .symbol(")") else {
            throw expected("WHERE or the ) for the ( at character \(open) is expected")
        }
        try advance()
        return SubQuery(column, from: table.names[0], where: filter)
    }

    private mutating func path(_ expectation: String) throws(RemoteDataError) -> ColumnPath {
        let names: [String]
        switch token.kind {
        case .path(let path): names = path
        case .word(let word) where keyword == nil: names = [word]
        default: throw expected(expectation)
        }
        try advance()
        return ColumnPath(names: names)
    }
}
