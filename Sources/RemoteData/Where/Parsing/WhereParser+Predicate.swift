// Conditions without AND, OR and NOT around them.
extension WhereParser {
    /// Reads what follows an operand.
    mutating func predicate(_ operand: Where.Operand) throws(RemoteDataError) -> Where {
        if case .symbol(let symbol) = token.kind {
            if let comparison = Where.Comparison(rawValue: symbol) {
                try advance()
                return .comparison(operand, comparison, try self.operand("after \(symbol)"))
            }
            if symbol == "+" || symbol == "-" {
                throw RemoteDataError.clause("Arithmetic is not supported", at: token.start)
            }
        }
        switch keyword {
        case "IS": return try nullTest(operand)
        case "NOT": return .not(try negatable(operand, isNegated: true))
        case "LIKE", "ILIKE", "IN", "BETWEEN": return try negatable(operand, isNegated: false)
        case "AND", "OR": return .truth(operand)
        default: if operatorWord != nil { return try negatable(operand, isNegated: false) }
        }
        switch token.kind {
        case .end, .symbol(")"), .symbol(","): return .truth(operand)
        default: throw expected("An operator such as =, LIKE, IN or IS NULL, or AND or OR, is expected")
        }
    }

    private mutating func nullTest(_ operand: Where.Operand) throws(RemoteDataError) -> Where {
        try advance()
        let isNegated = try takes("NOT")
        guard try takes("NULL") else {
            throw expected(
                isNegated ? "NULL is expected after IS NOT" : "NULL or NOT NULL is expected after IS"
            )
        }
        return isNegated ? .not(.isNull(operand)) : .isNull(operand)
    }

    private mutating func negatable(
        _ operand: Where.Operand,
        isNegated: Bool
    ) throws(RemoteDataError) -> Where {
        if isNegated { try advance() }
        if try takes("LIKE") { return .like(operand, try pattern("LIKE", ignoresCase: false)) }
        if try takes("ILIKE") { return .like(operand, try pattern("ILIKE", ignoresCase: true)) }
        if try takes("IN") {
            if let query = try subQuery() { return .isAmong(operand, query) }
            return .isIn(operand, try operands())
        }
        if operatorWord == "CONTAINS" { return .contains(operand, try elements()) }
        if operatorWord == "MATCHES" { return .regex(operand, try regex()) }
        guard try takes("BETWEEN") else {
            throw expected("LIKE, ILIKE, IN, BETWEEN, CONTAINS or MATCHES is expected after NOT")
        }
        let low = try self.operand("after BETWEEN")
        guard try takes("AND") else { throw expected("AND is expected between the bounds of BETWEEN") }
        return .between(operand, low: low, high: try self.operand("after the AND of BETWEEN"))
    }

    private mutating func operands() throws(RemoteDataError) -> [Where.Operand] {
        try list("IN") { parser, place throws(RemoteDataError) in try parser.operand(place) }
    }

    /// Reads a list in parentheses; `item` is told where it stands for its error messages.
    mutating func list<Item>(
        _ word: String,
        _ item: (inout WhereParser, _ place: String) throws(RemoteDataError) -> Item
    ) throws(RemoteDataError) -> [Item] {
        let start = token.start
        guard try takes(symbol: "(") else {
            throw expected("A list in parentheses is expected after \(word)")
        }
        if try takes(symbol: ")") { return [] }
        var list = [try item(&self, "in the list of \(word)")]
        while try takes(symbol: ",") { list.append(try item(&self, "after the comma")) }
        guard token.kind == .symbol(")") else {
            throw expected("A comma or the ) for the ( at character \(start) is expected")
        }
        try advance()
        return list
    }

    private mutating func pattern(
        _ word: String,
        ignoresCase: Bool
    ) throws(RemoteDataError) -> Where.LikePattern {
        let start = token.start
        let pattern = try text("A pattern in single quotes is expected after \(word)")
        guard try takes("ESCAPE") else { return Where.LikePattern(pattern, ignoresCase: ignoresCase) }
        let escapeStart = token.start
        let escape = try text("One character in single quotes is expected after ESCAPE").unicodeScalars
        guard let scalar = escape.first, escape.count == 1 else {
            throw RemoteDataError.clause(
                "The text after ESCAPE has \(escape.count) characters instead of one",
                at: escapeStart
            )
        }
        let result = Where.LikePattern(pattern, escape: scalar, ignoresCase: ignoresCase)
        guard !LikeMatcher(result).isBroken else {
            throw RemoteDataError.clause("The pattern ends in its escape character", at: start)
        }
        return result
    }

    mutating func text(_ expectation: String) throws(RemoteDataError) -> String {
        switch token.kind {
        case .text(let text):
            try advance()
            return text
        case .path: throw expected(expectation, note: "; double quotes are for column names")
        default: throw expected(expectation)
        }
    }
}

// Operands.
extension WhereParser {
    /// Reads a column or a value; `place` says where for the error message.
    mutating func operand(_ place: String? = nil) throws(RemoteDataError) -> Where.Operand {
        let first = token
        let expectation = "A column or value is expected" + (place.map { " \($0)" } ?? "")
        switch first.kind {
        case .text(let text):
            try advance()
            return .literal(.text(text))
        case .number(let digits):
            try advance()
            return .literal(Self.number(digits))
        case .symbol("-"), .symbol("+"): return try signed(first)
        case .symbol("("): return try parenthesized(first)
        case .path(let names): return try column(names, first)
        case .word(let word):
            switch keyword {
            case nil: return try column([word], first)
            case "NULL": return try literal(.null)
            case "TRUE": return try literal(true)
            case "FALSE": return try literal(false)
            case .some:
                throw expected(expectation, note: "; a column of that name stands in double quotes")
            }
        case .symbol, .end: throw expected(expectation)
        }
    }

    private mutating func literal(_ value: Value) throws(RemoteDataError) -> Where.Operand {
        try advance()
        return .literal(value)
    }

    private mutating func signed(_ sign: ClauseToken) throws(RemoteDataError) -> Where.Operand {
        try advance()
        guard case .number(let digits) = token.kind else {
            throw expected("A number is expected after \(sign.name)")
        }
        return try literal(Self.number(sign.kind == .symbol("-") ? "-" + digits : digits))
    }

    private mutating func parenthesized(_ open: ClauseToken) throws(RemoteDataError) -> Where.Operand {
        try advance()
        let operand = try deeper { parser throws(RemoteDataError) in try parser.operand("after (") }
        try close(open.start)
        return operand
    }

    private mutating func column(_ names: [String], _ first: ClauseToken) throws(RemoteDataError)
        -> Where.Operand
    {
        try advance()
        guard token.kind != .symbol("(") else {
            guard first.keyword(among: ["DISTANCE"]) == nil else {
                throw RemoteDataError.clause(
                    "DISTANCE stands on the left of <, <=, > or >=",
                    at: first.start
                )
            }
            throw RemoteDataError.clause("Functions such as \(first.name) are not supported", at: first.start)
        }
        return .column(ColumnPath(names: names))
    }

    /// Reads a number with or without a sign; `place` says where for the error message.
    mutating func number(_ place: String) throws(RemoteDataError) -> Double {
        switch token.kind {
        case .number, .symbol("-"), .symbol("+"): break
        default: throw expected("A number is expected \(place)")
        }
        guard case .literal(let value) = try operand() else { return 0 }
        return value.asNumber ?? 0
    }

    /// An integer when it is written as one and fits 64 bits, otherwise a double.
    private static func number(_ digits: String) -> Value {
        Int64(digits).map { .integer($0) } ?? .double(Double(digits) ?? .infinity)
    }
}
