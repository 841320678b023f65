/// Reads a where clause by recursive descent, one token ahead.
///
///     condition   := conjunction { OR conjunction }
///     conjunction := negation { AND negation }
///     negation    := { NOT } ( '(' condition ')' | predicate )
///     predicate   := operand [ comparison operand | IS [NOT] NULL | [NOT] LIKE text [ESCAPE text]
///                            | [NOT] IN '(' ( [operand { ',' operand }] | query ) ')' | [NOT] BETWEEN operand AND operand
///                            | [NOT] CONTAINS ( value | ( ANY | ALL ) '(' [value { ',' value }] ')' )
///                            | [NOT] MATCHES text ]
///                  | DISTANCE '(' column ',' column ',' number ',' number ')' ( < | <= | > | >= ) number
///     query       := SELECT column FROM table [WHERE condition]
///     operand     := column | [+|-] number | text | TRUE | FALSE | NULL | '(' operand ')'
///     value       := [+|-] number | text | TRUE | FALSE | NULL
///
/// `CONTAINS`, `MATCHES` and `DISTANCE` are keywords only where an operator stands, or in front of a parenthesis, those of a query
/// only where one stands.
struct WhereParser {
    /// How deep parentheses and NOT may nest.
    static let depthLimit = 200

    /// How many states the regular expressions of a clause may have together.
    static let regexLimit = 20_000

    private static let keywords: Set = [
        "AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "ESCAPE", "BETWEEN", "IS", "NULL", "TRUE", "FALSE",
    ]

    private static let operators: Set = [
        "AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "BETWEEN", "IS", "CONTAINS", "MATCHES",
    ]

    var scanner: ClauseScanner
    var token: ClauseToken
    /// How many states the regular expressions read so far have.
    var regexSize = 0
    private var depth = 0
    /// Whether what was read last is text.
    private var followsText = false

    init(_ text: String) throws(RemoteDataError) {
        scanner = try ClauseScanner(text)
        token = try scanner.next()
    }

    /// Reads the whole text.
    mutating func parse() throws(RemoteDataError) -> Where {
        guard token.kind != .end else {
            throw RemoteDataError.clause("A condition is expected", at: token.start)
        }
        guard try !beginsWithWhere() else {
            throw RemoteDataError.clause("A clause is written without the word WHERE", at: token.start)
        }
        let clause = try condition()
        guard token.kind == .end else { throw expected("AND, OR or the end of the clause is expected") }
        return clause
    }

    /// Whether the first word is no column: what follows it is no operator.
    private func beginsWithWhere() throws(RemoteDataError) -> Bool {
        guard token.keyword(among: ["WHERE"]) != nil else { return false }
        var ahead = scanner
        let next = try ahead.next()
        switch next.kind {
        case .word: return next.keyword(among: Self.operators) == nil
        case .path, .symbol("("): return true
        case .text, .number, .symbol, .end: return false
        }
    }

    mutating func advance() throws(RemoteDataError) {
        followsText = if case .text = token.kind { true } else { false }
        token = try scanner.next()
    }

    var keyword: String? { token.keyword(among: Self.keywords) }

    func expected(_ message: String, note: String = "") -> RemoteDataError {
        .clause("\(message), not \(token.name)\(note.isEmpty ? hint : note)", at: token.start)
    }

    /// What may have been meant by what stands here.
    private var hint: String {
        if token.keyword(among: ["ORDER", "GROUP", "LIMIT", "OFFSET"]) != nil {
            return "; a clause is a condition alone, and the sort order is given by itself"
        }
        guard followsText else { return "" }
        return switch token.kind {
        case .word, .path: "; a single quote within text is doubled, as in 'O''Hare'"
        case .text, .number, .symbol, .end: ""
        }
    }

    mutating func takes(_ word: String) throws(RemoteDataError) -> Bool {
        guard keyword == word else { return false }
        try advance()
        return true
    }

    mutating func takes(symbol: String) throws(RemoteDataError) -> Bool {
        guard token.kind == .symbol(symbol) else { return false }
        try advance()
        return true
    }

    mutating func deeper<T>(
        _ read: (inout WhereParser) throws(RemoteDataError) -> T
    ) throws(RemoteDataError) -> T {
        guard depth < Self.depthLimit else {
            throw .clause("Parentheses and NOT nest more than \(Self.depthLimit) deep", at: token.start)
        }
        depth += 1
        defer { depth -= 1 }
        return try read(&self)
    }
}

// Conditions.
extension WhereParser {
    mutating func condition() throws(RemoteDataError) -> Where {
        var parts = [try conjunction()]
        while try takes("OR") { parts.append(try conjunction()) }
        return parts.count == 1 ? parts[0] : .or(parts)
    }

    private mutating func conjunction() throws(RemoteDataError) -> Where {
        var parts = [try negation()]
        while try takes("AND") { parts.append(try negation()) }
        return parts.count == 1 ? parts[0] : .and(parts)
    }

    private mutating func negation() throws(RemoteDataError) -> Where {
        if try takes("NOT") {
            return .not(try deeper { parser throws(RemoteDataError) in try parser.negation() })
        }
        let start = token.start
        if let distance = try distance() { return .distance(distance) }
        guard try takes(symbol: "(") else { return try predicate(operand()) }
        let inner = try deeper { parser throws(RemoteDataError) in try parser.condition() }
        try close(start)
        // `(age) > 3`: what stood in parentheses was an operand.
        if case .truth(let operand) = inner { return try predicate(operand) }
        return inner
    }

    mutating func close(_ start: Int) throws(RemoteDataError) {
        guard try takes(symbol: ")") else {
            throw expected("A closing ) is expected for the ( at character \(start)")
        }
    }
}
