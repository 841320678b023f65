import RemoteData

/// What has to hold for any text taken for a where clause.
public enum WhereCheck {
    /// Reads bytes as a where clause, then prints, reads again and evaluates what was read.
    ///
    /// - Throws: A finding when that is no longer the same clause, when it is refused without a place in the text,
    ///   or when it is said to imply what a row speaks against.
    public static func run(_ bytes: [UInt8]) throws(FuzzFinding) {
        let text = String(decoding: bytes, as: UTF8.self)
        let clause: Where?
        do throws(RemoteDataError) {
            clause = try Where.parse(text)
        } catch {
            try checkRefusal(error, of: text)
            return
        }
        guard let clause else { return }
        try checkPrinting(clause)
        try checkTruth(clause, isShort: bytes.count <= 500)
    }

    private static func checkRefusal(_ error: RemoteDataError, of text: String) throws(FuzzFinding) {
        try require(error.code == .invalidClause, "refused with another code: \(error)")
        let position = try require(error.position, "refused without a position: \(error)")
        let length = text.unicodeScalars.count
        try require((0...length).contains(position), "refused at \(position) of \(length): \(error)")
    }

    private static func checkPrinting(_ clause: Where) throws(FuzzFinding) {
        let printed = clause.description
        let again: Where
        do throws(RemoteDataError) {
            again = try Where(printed)
        } catch { throw FuzzFinding("what was printed cannot be read: \(printed): \(error)") }
        try require(again == clause, "reads back as another clause: \(printed)")
        try require(again.hashValue == clause.hashValue, "the same clause has another hash: \(printed)")
        // Bytes are compared: `==` takes some spellings of a letter for the same.
        try require(again.description.utf8.elementsEqual(printed.utf8), "prints otherwise: \(printed)")
    }

    private static func checkTruth(_ clause: Where, isShort: Bool) throws(FuzzFinding) {
        let rows = WhereRows.rows(for: clause)
        let matcher = Where.Matcher(clause)
        let negated = Where.Matcher(.not(clause))
        for row in rows {
            let truth = matcher.truth(of: row)
            try require(negated.truth(of: row) == truth.negated, "NOT is not the contrary for \(row.text)")
        }
        guard isShort else { return }
        for other in others(than: clause) where clause.implies(other) {
            let against = rows.first { matcher.matches($0) && !other.matches($0) }
            try require(against == nil, "implies \(other), but not for \(against?.text ?? "")")
        }
    }

    /// Clauses that one may imply.
    private static func others(than clause: Where) -> [Where] {
        var others = WhereRows.clauses
        if case .and(let parts) = clause { others += parts }
        if case .or(let parts) = clause { others += parts }
        if case .not(let part) = clause { others.append(part) }
        others += others.map { .not($0) }
        for column in clause.columns { others.append(.not(.isNull(.column(column)))) }
        return others + [.not(clause), clause]
    }
}
