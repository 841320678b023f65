import RemoteData

/// A removal by clause as a server tells it: which rows, in its own words, and how many.
struct BackendlessRemoval: Sendable {
    /// The clause; nil for all rows.
    let predicate: Where?
    let count: Int?

    /// Reads what a server says; nil where the clause does not say here which rows are gone: it cannot be read, or may mean others
    /// to the server.
    ///
    /// - Parameters:
    ///   - json: An object with a clause and a number.
    ///   - comparison: How the server compares text.
    init?(json: ArraySlice<UInt8>, _ comparison: BackendlessTextComparison) {
        let members = (try? JSONObject.members(of: json)) ?? []
        let parts = Dictionary(members.map { ($0.name, Value(json: $0.json)) }) { first, _ in first }
        guard case .text(let text)?? = parts["whereClause"],
            let clause = (try? Where.parse(text)).flatMap(\.self)?.withNullTests
        else { return nil }
        let count =
            if case .integer(let number)?? = parts["count"], number >= 0 { Int(number) } else { nil as Int? }
        if clause == .not(.isNull(.column("objectId"))) {
            (predicate, self.count) = (nil, count)
            return
        }
        guard clause.meansTheSame, BackendlessFilter(text: comparison).rendered(clause).isExact else {
            return nil
        }
        (predicate, self.count) = (clause, count)
    }
}

extension Where {
    /// The clause with comparisons with null as Backendless takes them: `= NULL` is `IS NULL` there.
    fileprivate var withNullTests: Where {
        switch self {
        case .comparison(let operand, .equal, .literal(.null)),
            .comparison(.literal(.null), .equal, let operand):
            .isNull(operand)
        case .comparison(let operand, .notEqual, .literal(.null)),
            .comparison(.literal(.null), .notEqual, let operand):
            .not(.isNull(operand))
        case .and(let parts): .and(parts.map(\.withNullTests))
        case .or(let parts): .or(parts.map(\.withNullTests))
        case .not(let part): .not(part.withNullTests)
        default: self
        }
    }

    /// Whether values mean to the server what they mean here: it takes text for dates and numbers where a column has such, and
    /// looks for dotted columns in other tables.
    fileprivate var meansTheSame: Bool {
        switch self {
        case .and(let parts), .or(let parts): parts.allSatisfy(\.meansTheSame)
        case .not(let part): part.meansTheSame
        case .comparison(let left, _, let right): Self.meanTheSame([left, right])
        case .isIn(let operand, let list): Self.meanTheSame([operand] + list)
        case .between(let operand, let low, let high): Self.meanTheSame([operand, low, high])
        case .like(let operand, let pattern): Self.meanTheSame([operand, .literal(.text(pattern.text))])
        case .contains(let operand, let elements):
            Self.meanTheSame([operand] + elements.values.map { .literal($0) })
        case .regex(let operand, let pattern): Self.meanTheSame([operand, .literal(.text(pattern.text))])
        case .distance(let distance):
            Self.meanTheSame([.column(distance.latitude), .column(distance.longitude)])
        case .isAmong: false
        case .isNull(let operand), .truth(let operand): Self.meanTheSame([operand])
        }
    }

    private static func meanTheSame(_ operands: [Operand]) -> Bool {
        let isID = operands.contains(.column("objectId"))
        return operands.allSatisfy { operand in
            switch operand {
            case .column(let column): column.names.count == 1
            case .literal(.text(let text)): isID || !text.utf8.contains { (48...57).contains($0) }
            case .literal: true
            }
        }
    }
}
