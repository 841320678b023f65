import RemoteData

/// Makes scenarios from a seed: every choice is in the scenario, so it can be shrunk.
struct ScenarioGenerator {
    private var generator: SeededGenerator
    private let seed: UInt64
    private let usesIntegers: Bool
    private let isCalm: Bool
    private let hasEpochs: Bool
    private var lastID = 0
    private var ids: [ScenarioValue] = []
    /// Rows that others were to change.
    private var changed: [ScenarioValue] = []
    private var listeners: Set<String> = []

    init(seed: UInt64) {
        self.seed = seed
        // Seeds in a row would otherwise begin alike.
        var mixer = SeededGenerator(seed: seed &* 0x2545_F491_4F6C_DD1D)
        generator = SeededGenerator(seed: mixer.next())
        usesIntegers = generator.chance(3)
        isCalm = generator.chance(3)
        hasEpochs = !generator.chance(10)
    }

    /// The scenario of the seed.
    mutating func scenario() -> Scenario {
        var rows = (0..<generator.number(generator.chance(10) ? 1..<3 : 5..<41)).map { _ in newRow() }
        // Every column has to have been there once, or the table refuses the clause.
        rows[0] = rows[0].merging(["a": 1, "s": "x"])
        let isFollowing = !generator.chance(8)
        var table = Scenario.TableSetup(rows: rows)
        if usesIntegers { table.integerIDs = true }
        if !hasEpochs { table.epochs = false }
        if generator.chance(4) { table.log = generator.number(1..<20) }
        if generator.chance(6) {
            // No clock is put so far.
            (table.stamp, table.stampOverlap) = ("t", 130_000)
        }
        table.capabilities = capabilities()
        var collection = Scenario.CollectionSetup(
            where: generator.pick(Self.clauses),
            sort: generator.pick(Self.sorts),
            pageSize: generator.number(1..<13),
            readAhead: generator.number(0..<4),
            live: isFollowing ? nil : false,
            deadline: generator.chance(4) ? 5_000 : nil,
            cacheLimit: generator.chance(4) ? generator.number(1..<30) : nil
        )
        var steps = (0..<generator.number(10..<60)).flatMap { _ in
            !isCalm && generator.chance(30) ? socketAway() : [step()]
        }
        if !isCalm, generator.chance(12) {
            // So many that whole pages cannot be read.
            steps = (0..<generator.number(1..<16)).map { _ in ScenarioStep(.spoil, id: someID()) } + steps
        }
        vary(&table, &collection, &steps)
        if generator.chance(12) {
            startEmpty(&table, &collection, &steps)
        } else if !isCalm, isFollowing, rows.count > 20, generator.chance(hasEpochs ? 20 : 2) {
            steps.insert(contentsOf: backup(of: rows.count), at: generator.number(0..<steps.count))
        }
        if !isCalm, hasEpochs, generator.chance(40) { loseColumns(&steps) }
        if !isCalm, generator.chance(10) { openAmongFaults(&collection, &steps) }
        return Scenario(
            name: "seed \(seed)",
            seed: seed,
            table: table,
            collection: collection,
            steps: steps
        )
    }

    /// What a table declares: everything, what a real server's adapter does, or some of it; nil for everything.
    private mutating func capabilities() -> [String]? {
        var lacking: Set<String> = []
        if generator.chance(5) {
            let profile = generator.pick(BackendProfile.allCases).capabilities
            lacking = Set(Capabilities.full.names).subtracting(profile.names)
        }
        if generator.chance(5) {
            // Without revisions there is nothing to resume from.
            lacking.formUnion([generator.pick(["resume", "revisions"]), "resume"])
        }
        if generator.chance(6) {
            lacking.formUnion(
                generator.pick([
                    ["reportsEntering"], ["everyChange", "reportsEntering"], ["exactCounts"],
                    ["exactCounts", "everyChange", "reportsEntering"],
                ])
            )
        }
        return lacking.isEmpty ? nil : Capabilities.full.names.filter { !lacking.contains($0) }
    }

    /// Now and then another order, few changes that may wait, and rows that are loaded before the feed comes
    /// alive.
    private mutating func vary(
        _ table: inout Scenario.TableSetup,
        _ collection: inout Scenario.CollectionSetup,
        _ steps: inout [ScenarioStep]
    ) {
        if generator.chance(8) { table.collation = generator.pick(["backwards", "nocase"]) }
        if generator.chance(4) { collection.backlog = generator.number(2..<12) }
        if generator.chance(8) { steps.insert(ScenarioStep(.populate), at: 0) }
    }

    /// A table that nothing was ever written to, so that it has no columns to name.
    private mutating func startEmpty(
        _ table: inout Scenario.TableSetup,
        _ collection: inout Scenario.CollectionSetup,
        _ steps: inout [ScenarioStep]
    ) {
        (table.rows, table.stamp, table.stampOverlap) = ([], nil, nil)
        (collection.where, collection.sort) = (nil, nil)
        steps.removeAll { $0.where != nil }
    }

    /// The store begins anew with rows that have no columns, so that it refuses a query that names one.
    private mutating func loseColumns(_ steps: inout [ScenarioStep]) {
        let row: ScenarioValue = ["objectId": newID()]
        let anew = [ScenarioStep(.beginAnew, limit: 0), ScenarioStep(.create, row: row)]
        steps.insert(contentsOf: anew, at: steps.count - generator.number(0..<min(4, steps.count)))
    }

    /// The first count, page and subscription may fail.
    private mutating func openAmongFaults(
        _ collection: inout Scenario.CollectionSetup,
        _ steps: inout [ScenarioStep]
    ) {
        collection.opens = false
        let faults = (0..<generator.number(1..<4)).map { _ in requestFault() }
        steps = faults + [ScenarioStep(.open)] + steps
    }

    private static let clauses: [String?] = [
        nil, nil, nil, "a > 2", "a is null or a < 5", "s = 'x'", "a >= 3 and s != 'y'", "s like 'x%'",
    ]
    private static let sorts: [String?] = [
        nil, nil, "a", "a desc", "a nulls first", "a desc nulls first", "s", "s desc, a",
        "a, s desc nulls first",
        "s nulls first, a desc",
    ]

    private mutating func number() -> ScenarioValue {
        generator.chance(6) ? .null : .integer(Int64(generator.number(0..<8)))
    }

    private mutating func text() -> ScenarioValue {
        generator.chance(6) ? .null : .text(generator.pick(["x", "xa", "y", "z", "", "X", "Y"]))
    }

    private mutating func newID() -> ScenarioValue {
        lastID += 1
        // Not in the order in which they are made.
        let number = lastID * 37 % 101 + lastID / 101 * 101
        let letter = number.isMultiple(of: 4) ? "R" : "r"
        let id: ScenarioValue = usesIntegers ? .integer(Int64(number)) : .text("\(letter)\(number)")
        ids.append(id)
        return id
    }

    private mutating func newRow() -> ScenarioValue { ["objectId": newID(), "a": number(), "s": text()] }

    private mutating func patch() -> ScenarioValue {
        switch generator.number(0..<3) {
        case 0: ["a": number()]
        case 1: ["s": text()]
        default: ["a": number(), "s": text()]
        }
    }

    private mutating func someID() -> ScenarioValue { ids.isEmpty ? newID() : generator.pick(ids) }

    private mutating func step() -> ScenarioStep {
        switch generator.number(0..<100) {
        case 0..<30: byOthers()
        case 30..<44: own()
        case 44..<66: reading()
        case 66..<82: ScenarioStep(.wait, ms: generator.pick([1, 10, 30, 60, 100, 300, 1_000, 3_000]))
        default:
            if isCalm {
                ScenarioStep(.wait, ms: generator.pick([5, 20, 200]))
            } else if generator.chance(2) {
                requestFault()
            } else {
                otherFault()
            }
        }
    }

    private mutating func byOthers() -> ScenarioStep {
        switch generator.number(0..<12) {
        case 0..<3: return ScenarioStep(.create, row: newRow())
        case 3..<7:
            let id = someID()
            changed.append(id)
            return ScenarioStep(.update, row: patch(), id: id)
        case 7..<10: return ScenarioStep(.delete, id: someID())
        case 10:
            if generator.chance(2) {
                return ScenarioStep(.updateAll, row: ["a": number()], where: generator.pick(Self.parts))
            }
            let row: ScenarioValue = ["objectId": someID(), "a": number(), "s": text()]
            return ScenarioStep(.upsert, row: row)
        default: return ScenarioStep(.deleteAll, where: generator.pick(Self.parts))
        }
    }

    private static let parts = ["a = 3", "a > 5", "s = 'z'", "a is null", "s = 'y' and a < 4"]

    private mutating func own() -> ScenarioStep {
        switch generator.number(0..<12) {
        case 0..<2: return ScenarioStep(.add, row: newRow())
        case 2: return ScenarioStep(.add, row: ["a": number(), "s": text()])
        case 3..<5:
            let at = generator.number(0..<(generator.chance(3) ? 40 : 6))
            return ScenarioStep(.insert, row: newRow(), at: at)
        case 5..<8:
            return ScenarioStep(
                .change,
                row: patch(),
                id: changed.isEmpty || generator.chance(3) ? someID() : generator.pick(changed),
                version: generator.chance(2) ? generator.number(0..<4) : nil,
                saysVersion: generator.chance(3) ? true : nil
            )
        case 8..<10: return ScenarioStep(.remove, id: someID())
        case 10: return ScenarioStep(.removeAt, at: generator.number(0..<12))
        default: return ScenarioStep(.removeAll, where: generator.pick(Self.parts))
        }
    }

    private mutating func reading() -> ScenarioStep {
        let name = generator.pick(["i", "j", "k"])
        switch generator.number(0..<20) {
        case 0..<9:
            return ScenarioStep(.iterate, name: name, take: generator.pick([1, 2, 3, 5, 8, 13, nil]))
        case 9: return listening()
        case 10..<12: return ScenarioStep(.abandon, name: name)
        case 12..<15: return ScenarioStep(.read, at: generator.number(0..<40))
        case 15..<17:
            let at = generator.number(0..<30)
            return ScenarioStep(.prefetch, at: at, to: at + generator.number(1..<15))
        case 17: return ScenarioStep(.populate)
        case 18:
            let sort = generator.chance(2) ? generator.pick(Self.sorts) : nil
            return ScenarioStep(
                .narrow,
                where: generator.pick(Self.parts),
                name: generator.pick(["n", "o"]),
                sort: sort
            )
        default: return ScenarioStep(.refresh)
        }
    }

    /// Somebody who takes changes slowly, and of whom some are left out.
    private mutating func listening() -> ScenarioStep {
        let name = generator.pick(["l", "m"])
        if !listeners.insert(name).inserted, generator.chance(2) {
            return ScenarioStep(.hear, name: name, take: generator.pick([1, 3, 100]))
        }
        let policy = generator.pick(["latest", "buffer", "coalescing"])
        return ScenarioStep(.listen, name: name, buffering: policy, limit: generator.number(1..<6))
    }

    private mutating func requestFault() -> ScenarioStep {
        let call = generator.pick(["count", "page", "row", "commit", "page", "commit", "subscribe", nil])
        let times = generator.pick([1, 1, 1, 2, 3, 6])
        switch generator.number(0..<9) {
        case 0..<2:
            return ScenarioStep(
                .fail,
                call: call,
                status: generator.pick([500, 502, 503, 504]),
                times: times
            )
        case 2:
            let wait = generator.pick([nil, 1_000, 5_000])
            return ScenarioStep(.fail, call: call, status: 429, retryAfter: wait, times: times)
        case 3: return ScenarioStep(.loseRequest, call: call, times: times, silently: generator.chance(3))
        case 4..<6: return ScenarioStep(.loseReply, call: call, times: times, silently: generator.chance(3))
        case 6: return ScenarioStep(.truncate, call: call, times: 1)
        default:
            return ScenarioStep(
                generator.chance(2) ? .delay : .delayReply,
                ms: generator.pick([50, 200, 1_000, 4_000, 12_000]),
                call: call,
                times: times
            )
        }
    }

    /// The connection for changes breaks and is refused for a while, though requests are answered.
    private mutating func socketAway() -> [ScenarioStep] {
        [
            ScenarioStep(.fail, call: "subscribe", status: 503, times: generator.number(1..<8)),
            ScenarioStep(.disconnect),
        ]
    }

    /// A backup is put back without a new epoch, or over a table that has none: only lower revisions show it, so it is
    /// noticed before others write on.
    private mutating func backup(of count: Int) -> [ScenarioStep] {
        let kept = generator.number(0..<count / 3)
        return [
            ScenarioStep(.heal),
            ScenarioStep(.wait, ms: 20_000),
            ScenarioStep(.beginAnew, keepsEpoch: hasEpochs ? true : nil, limit: kept),
            ScenarioStep(.wait, ms: 20_000),
        ]
    }

    private mutating func otherFault() -> ScenarioStep {
        let times = generator.pick([1, 1, 2, 4])
        switch generator.number(0..<19) {
        case 0..<3: return ScenarioStep(.disconnect, silently: generator.chance(4))
        case 3: return ScenarioStep(.offline)
        case 4..<6: return ScenarioStep(.online)
        case 6: return ScenarioStep(.dropFrames, times: times)
        case 7: return ScenarioStep(.duplicateFrames, times: times)
        case 8: return ScenarioStep(.reorderFrames, times: times)
        case 9: return ScenarioStep(.malformFrames, times: 1)
        case 10: return ScenarioStep(.holdFrames)
        case 11: return ScenarioStep(.releaseFrames)
        case 12: return ScenarioStep(.resetSubscriptions)
        case 13 where generator.chance(2) && hasEpochs:
            let kept = generator.chance(2) ? nil : generator.number(0..<12)
            return ScenarioStep(.beginAnew, times: generator.pick([1, 1, 3, 40]), limit: kept)
        case 13: return ScenarioStep(.restart, keepsLog: generator.chance(2))
        case 14: return ScenarioStep(.expireToken)
        case 15: return ScenarioStep(.skewClock, ms: generator.pick([-60_000, -2_000, 2_000, 60_000]))
        case 16: return ScenarioStep(.stallDelivery, ms: generator.pick([50, 500, 5_000]))
        case 17: return ScenarioStep(.spoil, id: someID())
        default: return ScenarioStep(.heal)
        }
    }
}
