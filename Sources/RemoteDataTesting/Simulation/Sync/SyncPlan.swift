import RemoteData
import RemoteDataSQLite

/// What happens in a simulation of tables kept in step, drawn from a seed.
struct SyncPlan: Sendable {
    enum Table: String, Sendable, CaseIterable {
        case lists, items
    }

    enum Step: Sendable {
        case add(device: Int, Table, pick: Int, isPoisoned: Bool)
        case update(device: Int, Table, pick: Int, isPoisoned: Bool)
        case remove(device: Int, Table, pick: Int)
        case pull(device: Int, Table)
        case crash(device: Int, afterSteps: Int)
        case changeUser(device: Int, user: Int?)
        case move(device: Int, from: Int?, to: Int?, crashAfterSteps: Int?)
        case pause(device: Int, Bool)
        case decide(device: Int, pick: Int, isRetry: Bool)
        case offline(user: Int, Bool)
        case fault(user: Int, Table, RequestFault.Kind, call: String?, times: Int)
        case expireTokens(user: Int)
        case restartServer(user: Int, Table, keepsLog: Bool)
        /// A user's tables begin anew in one more epoch, with some of the rows as they were and some changed.
        case beginAnew(user: Int, keeps: [RowFate], NewHistory)
        /// Another program removes a list with its items, and brings all of it back, changed or as it was.
        case bringBack(user: Int, pick: Int, isChanged: Bool)
        case passTime(Duration)
    }

    /// The revisions of a table that begins anew.
    enum NewHistory: Sendable {
        /// Of another epoch, and mostly lower.
        case lower
        /// Of another epoch, and higher.
        case higher
        /// Of the same epoch, and lower: nothing else shows that a backup was put back.
        case sameEpoch
    }

    /// What becomes of a row when its table begins anew.
    enum RowFate: Sendable, CaseIterable {
        case same, changed, lost
    }

    static let deviceCount = 2
    static let users = ["anna", "bo"]

    var capabilities: Capabilities
    var conflicts: ConflictPolicy
    /// Whether a write by itself tells whether it was made.
    var isExact: Bool
    var showsRefused: Bool
    var rate: SyncRate
    /// Whether the server's tables begin with their first rows.
    var beginning = SimulatedServer.Beginning.atOnce
    /// Who removes the items of a list.
    var cascade = SyncOptions.Cascade.server
    /// How many rows the server takes at once.
    var largestCreation = Int.max
    /// What goes wrong before anything else happens.
    var faultsAtFirst: [Step] = []
    var steps: [Step] = []
    /// What becomes of the rows when a backup is put back, once everything has settled.
    var backup: [RowFate]?

    init(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var capabilities = Capabilities.full
        var isExact = true
        switch generator.number(0..<9) {
        case 0: capabilities.idempotency = false
        case 1: capabilities.liveChanges = false
        case 2: (capabilities.revisions, capabilities.conditionalWrites) = (false, false)
        case 3: capabilities.resume = false
        case 4:
            capabilities = Capabilities()
            (capabilities.keysetPages, capabilities.exactCounts) = (true, true)
            isExact = false
        case 5, 6:
            capabilities = generator.pick(BackendProfile.allCases).capabilities
            isExact = capabilities.conditionalWrites
        default: break
        }
        // The simulated server has no log to be read, only one to be followed.
        capabilities.maximumBulkSize = generator.chance(2) ? 1 : 20
        let policies = [ConflictPolicy.serverWins, .clientWins, .merge]
        let policy = generator.number(0..<3)
        self.capabilities = capabilities
        conflicts = policies[policy]
        // A server without keys cannot be asked whether a write whose answer was lost was made before
        // another one.
        self.isExact = isExact && (policy == 0 || capabilities.idempotency)
        showsRefused = generator.chance(3)
        rate = generator.chance(4) ? .off : .normal
        begin(&generator)
        let beginsAnew = generator.chance(3)
        let count = 8 + generator.number(0..<25)
        for _ in 0..<count {
            steps.append(Self.step(&generator))
            if beginsAnew, generator.chance(10) { steps.append(Self.beginningAnew(&generator)) }
        }
        if generator.chance(5) { backup = Self.fates(&generator) }
        if generator.chance(4) { cascade = .client }
        if generator.chance(3) { bringBack(&generator) }
    }

    private static func step(_ generator: inout SeededGenerator) -> Step {
        let device = generator.number(0..<deviceCount)
        let user = generator.number(0..<users.count)
        let table = generator.pick(Table.allCases)
        let pick = generator.number(0..<1_000)
        let isPoisoned = generator.chance(12)
        switch generator.number(0..<41) {
        case 0..<8: return .add(device: device, table, pick: pick, isPoisoned: isPoisoned)
        case 8..<15: return .update(device: device, table, pick: pick, isPoisoned: isPoisoned)
        case 15..<18: return .remove(device: device, table, pick: pick)
        case 18..<20: return .pull(device: device, table)
        case 20..<23: return .crash(device: device, afterSteps: generator.number(0..<60))
        case 23..<25:
            return .changeUser(device: device, user: generator.chance(4) ? nil : user)
        case 25: return .pause(device: device, generator.chance(2))
        case 26: return .decide(device: device, pick: pick, isRetry: generator.chance(2))
        case 27: return .offline(user: user, generator.chance(2))
        case 28..<33:
            return fault(user, table, &generator)
        case 33: return .expireTokens(user: user)
        case 34: return .restartServer(user: user, table, keepsLog: generator.chance(2))
        case 35: return move(device, &generator)
        default:
            return .passTime(
                .milliseconds(generator.pick([5, 50, 300, 3_000, 20_000, 90_000]))
            )
        }
    }

    /// Lists come back while their removals are under way, and at any other time.
    private mutating func bringBack(_ generator: inout SeededGenerator) {
        for _ in 0...generator.number(0..<3) {
            let step = Step.bringBack(
                user: generator.number(0..<Self.users.count),
                pick: generator.number(0..<1_000),
                isChanged: generator.chance(2)
            )
            steps.insert(step, at: generator.number(0..<(steps.count + 1)))
        }
    }

    private static func move(_ device: Int, _ generator: inout SeededGenerator) -> Step {
        // Mostly from nobody to a user.
        let places = generator.chance(3) ? [0, 1] : [nil, generator.number(0..<users.count)]
        let isBack = generator.chance(4)
        return .move(
            device: device,
            from: isBack ? places[1] : places[0],
            to: isBack ? places[0] : places[1],
            crashAfterSteps: generator.chance(2) ? generator.number(0..<40) : nil
        )
    }

    private static func fault(_ user: Int, _ table: Table, _ generator: inout SeededGenerator) -> Step {
        let call = generator.pick(["commit", "commit", "row", "page", "subscribe", nil])
        // A client sends what fails again a few times before it says so.
        let times = 1 + generator.number(0..<(generator.chance(3) ? 30 : 6))
        return .fault(user: user, table, fault(call, &generator), call: call, times: times)
    }

    private static func fault(_ call: String?, _ generator: inout SeededGenerator) -> RequestFault.Kind {
        // What may not be read may be written.
        if call == "row" || call == "page", generator.chance(8) { return .status(403, retryAfter: nil) }
        return fault(&generator)
    }

    private static func fault(_ generator: inout SeededGenerator) -> RequestFault.Kind {
        switch generator.number(0..<8) {
        case 0: .status(generator.pick([500, 503, 429]), retryAfter: generator.chance(2) ? .seconds(3) : nil)
        case 1: .loseRequest(isTold: true)
        case 2: .loseRequest(isTold: false)
        case 3, 4: .loseReply(isTold: true)
        case 5: .loseReply(isTold: false)
        case 6: .delayReply(.seconds(5))
        default: .delay(.milliseconds(500))
        }
    }
}
