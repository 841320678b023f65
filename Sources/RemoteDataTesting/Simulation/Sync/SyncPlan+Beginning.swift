import RemoteData

// How a life begins: with servers that have no tables yet, first reads that fail, and writes that nothing
// listens to.
extension SyncPlan {
    mutating func begin(_ generator: inout SeededGenerator) {
        if generator.chance(3) {
            beginning = .withFirstRow(refusesSubscriptions: generator.chance(2))
        }
        if generator.chance(4) { largestCreation = 1 }
        if generator.chance(3) {
            for _ in 0...generator.number(0..<3) { faultsAtFirst.append(Self.faultAtFirst(&generator)) }
        }
        if generator.chance(3) { steps += Self.firstWrites(&generator) }
    }

    static func beginningAnew(_ generator: inout SeededGenerator) -> Step {
        .beginAnew(
            user: generator.number(0..<users.count),
            keeps: fates(&generator),
            generator.chance(2) ? .higher : .lower
        )
    }

    static func fates(_ generator: inout SeededGenerator) -> [RowFate] {
        guard !generator.chance(5) else { return [.lost] }
        return (0..<(1 + generator.number(0..<5))).map { _ in generator.pick(RowFate.allCases) }
    }

    /// The first requests fail, as often as it takes for that to be noticed.
    private static func faultAtFirst(_ generator: inout SeededGenerator) -> Step {
        let call = generator.pick(["page", "page", "subscribe", "row", "commit", nil])
        let kind: RequestFault.Kind =
            switch generator.number(0..<3) {
            case 0: .status(generator.pick([500, 503]), retryAfter: nil)
            case 1: .loseRequest(isTold: true)
            default: .loseReply(isTold: true)
            }
        let times = generator.pick([1, 4, 8, 20])
        return .fault(user: 0, generator.pick(Table.allCases), kind, call: call, times: times)
    }

    /// Writes that are sent first when there is no server, and may be known to no process when there is one.
    private static func firstWrites(_ generator: inout SeededGenerator) -> [Step] {
        let (device, table) = (generator.number(0..<deviceCount), generator.pick(Table.allCases))
        let isHeld = generator.chance(2)
        var steps: [Step] = []
        if !isHeld || generator.chance(2) { steps.append(.offline(user: 0, true)) }
        if isHeld { steps.append(.pause(device: device, true)) }
        for _ in 0...generator.number(0..<3) {
            let (pick, isPoisoned) = (generator.number(0..<1_000), generator.chance(8))
            steps.append(.add(device: device, table, pick: pick, isPoisoned: isPoisoned))
        }
        if isHeld { steps.append(.pause(device: device, false)) }
        if generator.chance(2) { steps.append(.passTime(.milliseconds(generator.pick([5, 300, 3_000])))) }
        if generator.chance(3) { steps.append(.crash(device: device, afterSteps: generator.number(0..<60))) }
        if generator.chance(3) { steps.append(.restartServer(user: 0, table, keepsLog: generator.chance(2))) }
        steps.append(.offline(user: 0, false))
        if generator.chance(3) {
            let kind = RequestFault.Kind.status(503, retryAfter: nil)
            steps.append(.fault(user: 0, table, kind, call: nil, times: generator.pick([1, 4, 8])))
        }
        return steps
    }
}
