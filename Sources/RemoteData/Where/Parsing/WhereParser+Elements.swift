// Conditions whose words are keywords only behind an operand, and names of columns elsewhere.
extension WhereParser {
    var operatorWord: String? { token.keyword(among: ["CONTAINS", "MATCHES"]) }

    /// Reads `MATCHES` with its pattern.
    mutating func regex() throws(RemoteDataError) -> Where.RegexPattern {
        try advance()
        let start = token.start
        let text = try text("A pattern in single quotes is expected after MATCHES")
        do throws(RegexSyntaxError) {
            let pattern = try Where.RegexPattern(checking: text)
            regexSize += pattern.stateCount
            guard regexSize <= Self.regexLimit else {
                let problem = "The regular expressions of the clause take more than \(Self.regexLimit) states"
                throw RegexSyntaxError(problem: problem, offset: 0)
            }
            return pattern
        } catch {
            // Behind the opening quote, each quote is written twice.
            let quotes = text.unicodeScalars.prefix(error.offset).count { $0 == "'" }
            throw RemoteDataError.clause(error.problem, at: start + 1 + error.offset + quotes)
        }
    }

    /// Reads `CONTAINS` with what is looked for.
    mutating func elements() throws(RemoteDataError) -> Where.Elements {
        try advance()
        switch token.keyword(among: ["ANY", "ALL"]) {
        case "ANY": return .any(try values("ANY"))
        case "ALL": return .all(try values("ALL"))
        default: return .any([try value("after CONTAINS", "A value, ANY (…) or ALL (…)")])
        }
    }

    private mutating func values(_ word: String) throws(RemoteDataError) -> [Value] {
        try advance()
        return try list(word) { parser, place throws(RemoteDataError) in try parser.value(place) }
    }

    /// Reads a value; `place` and `what` are for the error message.
    private mutating func value(
        _ place: String,
        _ what: String = "A value"
    ) throws(RemoteDataError) -> Value {
        switch token.kind {
        case .text, .number, .symbol("-"), .symbol("+"): break
        case .word where token.keyword(among: ["NULL", "TRUE", "FALSE"]) != nil: break
        case .word, .path:
            throw expected("\(what) is expected \(place)", note: "; a column cannot stand here")
        case .symbol, .end: throw expected("\(what) is expected \(place)")
        }
        guard case .literal(let value) = try operand(place) else { return .null }
        return value
    }
}

// Distances.
extension WhereParser {
    /// Reads `DISTANCE(latitude, longitude, 51.5, -0.12) <= 1000`; nil, and reads nothing, where something else stands.
    mutating func distance() throws(RemoteDataError) -> Where.Distance? {
        guard token.keyword(among: ["DISTANCE"]) != nil else { return nil }
        let start = self
        try advance()
        let open = token.start
        guard try takes(symbol: "(") else {
            self = start
            return nil
        }
        let latitude = try column("of latitudes is expected after DISTANCE(")
        try comma()
        let longitude = try column("of longitudes is expected after the comma")
        try comma()
        let point = try point()
        try close(open)
        let comparison = try comparison()
        let metres = try number("after \(comparison.rawValue)")
        return Where.Distance(latitude: latitude, longitude: longitude, to: point, comparison, metres: metres)
    }

    private mutating func comma() throws(RemoteDataError) {
        guard try takes(symbol: ",") else { throw expected("A comma is expected in DISTANCE") }
    }

    private mutating func column(_ expectation: String) throws(RemoteDataError) -> ColumnPath {
        switch token.kind {
        case .path: break
        case .word where keyword == nil: break
        default: throw expected("A column \(expectation)")
        }
        guard case .column(let column) = try operand() else { return ColumnPath("") }
        return column
    }

    private mutating func point() throws(RemoteDataError) -> GeoPoint {
        let first = token.start
        let latitude = try number("after the columns of DISTANCE")
        guard GeoPoint.isLatitude(latitude) else {
            throw RemoteDataError.clause("A latitude lies between -90 and 90 degrees", at: first)
        }
        try comma()
        let second = token.start
        let longitude = try number("after the latitude of DISTANCE")
        guard let point = GeoPoint(checking: latitude, longitude) else {
            throw RemoteDataError.clause("A longitude lies between -180 and 180 degrees", at: second)
        }
        return point
    }

    private mutating func comparison() throws(RemoteDataError) -> Where.Comparison {
        guard case .symbol(let symbol) = token.kind, let comparison = Where.Comparison(rawValue: symbol),
            comparison != .equal, comparison != .notEqual
        else { throw expected("<, <=, > or >= is expected after DISTANCE(…)") }
        try advance()
        return comparison
    }
}
