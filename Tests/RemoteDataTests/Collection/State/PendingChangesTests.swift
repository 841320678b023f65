import Testing

@testable import RemoteData

/// Changes that wait until they are applied.
@Suite struct PendingChangesTests {
    private let interruption = ChangeEvent.interrupted(RemoteDataError(.unreachable, "It is away."))

    @Test("An interruption waits once, however often the feed is asked for in vain")
    func interruptions() throws {
        var state = try StateFixture().state
        state.loseTrack()
        for _ in 0..<3 { state.receive([interruption]) }
        #expect(state.pendingCount == 1)
        #expect(state.awaitsInterruption)
        state.receive([.live(nil), interruption, interruption])
        #expect(state.pendingCount == 3)
    }

    @Test("An iteration that begins behind an interruption that waits is not in touch")
    func interruptionBeforeAnIteration() throws {
        var fixture = try StateFixture(rows: 3, pageSize: 3)
        let before = fixture.state.beginIteration()
        #expect(fixture.state.cursors[before]?.beganInTouch == true)
        fixture.state.receive([interruption])
        fixture.state.prove(fixture.state.applied, asked: fixture.state.number(), at: nil)
        let cursor = fixture.state.beginIteration()
        #expect(fixture.state.cursors[cursor]?.beganInTouch == false)
    }

    @Test("An answer that is older than what was known when it was asked for proves nothing")
    func olderAnswer() throws {
        var fixture = try StateFixture(rows: 3, pageSize: 3)
        fixture.table.put(10, value: 11)
        fixture.deliver()
        let reached = try #require(fixture.state.applied)
        let older = Revision(reached.rawValue - 1)
        let proves = [(older, older), (older, reached), (reached, reached)].map { answer, known in
            fixture.state.prove(answer, asked: fixture.state.number(), at: known)
        }
        #expect(proves == [true, false, true])
        #expect(fixture.state.showsNewHistory(older, askedAt: reached))
        #expect(!fixture.state.showsNewHistory(older, askedAt: older))
    }

    @Test("Rows of a history that is over do not pass by changes of the one that begins in the same epoch")
    func sameEpoch() throws {
        var fixture = try StateFixture(rows: 3, pageSize: 3)
        fixture.table.put(10, value: 11)
        fixture.deliver()
        try fixture.load(0)
        #expect(fixture.state.row(at: 1)?.revision?.rawValue == fixture.table.revision)
        fixture.state.loseTrack()
        fixture.state.enterHistory(of: Count(3, revision: Revision(1)), askedAt: nil)
        #expect((0..<3).map { fixture.state.row(at: $0)?.revision?.rawValue } == [0, 0, 0])
        #expect(fixture.state.isOfFormerHistory(fixture.state.row(at: 1)?.revision))
    }
}
