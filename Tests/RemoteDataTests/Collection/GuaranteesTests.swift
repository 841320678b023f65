import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite(.timeLimit(.minutes(2))) struct GuaranteesTests {
    private func guarantees(
        without lacking: [WritableKeyPath<Capabilities, Bool>] = [],
        isLive: Bool = true,
        hasClause: Bool = false,
        cacheLimit: Int? = nil,
        interruption: RemoteDataError? = nil
    ) -> Guarantees {
        var capabilities = Capabilities.full
        for flag in lacking { capabilities[keyPath: flag] = false }
        return Guarantees(
            GuaranteeConditions(
                capabilities: capabilities,
                isLive: isLive,
                hasClause: hasClause,
                cacheLimit: cacheLimit,
                interruption: interruption
            )
        )
    }

    private func strengths(_ guarantees: Guarantees) -> [Guarantee.Strength] {
        guarantees.all.map(\.strength)
    }

    @Test func aTableThatCanEverythingKeepsIterationAndConvergence() {
        #expect(strengths(guarantees()) == [.holds, .holds, .isLimited, .isLimited, .isLimited])
        #expect(guarantees(cacheLimit: 100).bounds.strength == .holds)
        #expect(strengths(guarantees(hasClause: true)) == strengths(guarantees()))
    }

    @Test func whatATableLacksIsWhatItCosts() {
        #expect(guarantees(without: [\.keysetPages]).iteration.strength == .doesNotHold)
        #expect(guarantees(without: [\.revisions]).iteration.strength == .isLimited)
        #expect(guarantees(without: [\.revisions]).convergence.strength == .isLimited)
        #expect(guarantees(without: [\.liveChanges]).convergence.strength == .doesNotHold)
        #expect(guarantees(without: [\.liveChanges]).iteration.strength == .isLimited)
        #expect(guarantees(without: [\.resume]).convergence.strength == .holds)
        #expect(guarantees(without: [\.reportsLeaving]).convergence.strength == .holds)
        #expect(guarantees(without: [\.reportsLeaving], hasClause: true).convergence.strength == .isLimited)
        #expect(guarantees(without: [\.binaryOrder]).iteration.strength == .isLimited)
        #expect(guarantees(without: [\.binaryOrder]).convergence.strength == .isLimited)
        #expect(guarantees(without: [\.idempotency]).writes.strength == .doesNotHold)
        #expect(guarantees(isLive: false).convergence.strength == .doesNotHold)
        #expect(guarantees(isLive: false).convergence.reasons.first?.contains("refresh()") == true)
    }

    @Test func aCountThatIsTooHighIsALimit() {
        var conditions = GuaranteeConditions(capabilities: .full, isLive: true, hasClause: true)
        #expect(Guarantees(conditions).convergence.strength == .holds)
        conditions.countsExactly = false
        #expect(Guarantees(conditions).convergence.strength == .isLimited)
    }

    @Test func whatACacheHasKeptIsALimitUntilChangesCome() {
        var conditions = GuaranteeConditions(capabilities: .full, isLive: true, hasClause: false)
        #expect(Guarantees(conditions).iteration.strength == .holds)
        conditions.isRestored = true
        #expect(Guarantees(conditions).iteration.strength == .isLimited)
    }

    @Test func nothingBecomesBetterByLackingSomething() {
        let order: [Guarantee.Strength] = [.doesNotHold, .isLimited, .holds]
        let flags: [WritableKeyPath<Capabilities, Bool>] = [
            \.keysetPages, \.revisions, \.resume, \.liveChanges, \.reportsLeaving, \.filteredDeletes,
            \.idempotency,
            \.conditionalWrites, \.binaryOrder,
        ]
        for bits in 0..<(1 << flags.count) {
            let lacking = flags.indices.filter { bits & (1 << $0) != 0 }.map { flags[$0] }
            let these = guarantees(without: lacking, hasClause: true)
            for flag in flags where !lacking.contains(flag) {
                let fewer = guarantees(without: lacking + [flag], hasClause: true)
                for (less, more) in zip(fewer.all, these.all) {
                    guard let low = order.firstIndex(of: less.strength),
                        let high = order.firstIndex(of: more.strength)
                    else { continue }
                    #expect(low <= high, "\(less) is more than \(more)")
                }
            }
        }
    }

    @Test func isReadAsText() {
        let text = guarantees().description
        #expect(text.contains("Each row that matches throughout an iteration comes exactly once. — holds\n"))
        #expect(text.contains("\n  Pages start behind the key of the last row"))
        #expect(text.split(separator: "\n").count > 10)
        for strength in Guarantee.Strength.allCases {
            #expect(!Guarantee(promise: "p", strength: strength, reasons: []).description.isEmpty)
        }
    }

    @Test func followsTheConnection() async throws {
        let table = try await makePeople(3)
        let clock = ManualClock()
        let people = try await RemoteDataCollection<Person>(
            table: table,
            options: CollectionOptions().with(clock: clock)
        )
        try await eventually("it is live") { people.liveStatus.isLive }
        #expect(people.guarantees == guarantees())
        table.fail(.subscribe)
        table.endFeeds()
        try await eventually("it is told") { !people.liveStatus.isLive }
        #expect(people.guarantees.convergence.strength == .isLimited)
        #expect(people.guarantees.iteration.strength == .holds)
        #expect(people.guarantees != guarantees())
        let refused = guarantees(interruption: RemoteDataError(.forbidden, "No."))
        #expect(refused.convergence.strength == .doesNotHold)
    }
}
