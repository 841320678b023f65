import RemoteData
import RemoteDataTesting

// Random clauses, orders and options.
extension Planner {
    /// A clause and an order.
    mutating func query() -> (clause: String, sort: String) { (generator.chance(4) ? "" : clause(), sort()) }

    /// How a collection behaves.
    mutating func options() -> CollectionOptions {
        var options = CollectionOptions()
        options.pageSize = generator.pick([1, 3, 7, 10, 25, 100])
        options.readAhead = generator.number(0..<4)
        options.cacheLimit = generator.chance(3) ? generator.number(1..<60) : nil
        options.deadline = .seconds(generator.pick([2, 20]))
        // Few changes may wait for a handler that is slow.
        if generator.chance(3) { options.surroundings.backlogLimit = generator.number(1..<30) }
        return options
    }

    /// A clause that few rows match.
    mutating func narrowClause() -> String {
        let part = generator.chance(2) ? "a = \(generator.number(0..<8))" : band(of: 60)
        return generator.chance(4) ? band(of: 20) : "\(condition()) and \(part)"
    }

    private mutating func clause() -> String {
        switch generator.number(0..<6) {
        case 0: "\(condition()) and \(condition())"
        case 1, 2: "\(condition()) or \(condition())"
        case 3: "not (\(condition()))"
        default: condition()
        }
    }

    private mutating func band(of width: Int) -> String {
        let low = generator.number(-500..<500)
        return "b between \(low) and \(low + width)"
    }

    private mutating func condition() -> String {
        switch generator.number(0..<9) {
        case 0, 1: "a \(generator.pick(["<", ">=", "=", "<>"])) \(generator.number(0..<8))"
        case 2, 3: "b \(generator.pick(["<", ">"])) \(generator.number(-300..<300))"
        case 4: band(of: 400)
        case 5: "\(generator.pick(["a", "b", "s"])) is \(generator.pick(["", "not "]))null"
        case 6: "s like '\(generator.pick(["x%", "%a", "_", "%\"%"]))'"
        case 7: "a in (1, 4, 6)"
        default: "s > '\(generator.pick(["", "x", "é"]))'"
        }
    }

    private mutating func sort() -> String {
        let columns = ["a", "b", "s"].shuffled(using: &generator).prefix(generator.number(0..<4))
        return columns.map { column in
            column + generator.pick(["", " asc", " desc"])
                + generator.pick(["", " nulls first", " nulls last"])
        }.joined(separator: ", ")
    }
}
