import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataBackends

/// Every event in every state of the link, without a socket.
struct SubscriptionMachineTests {
    private let people = SubscriptionRequest(table: "people", query: Query())
    private let failure = RemoteDataError(.unreachable, "gone")

    /// A machine with subscription 1, led to a state of the link.
    private func machine(_ link: SubscriptionMachine.Link, since: Revision? = nil) -> SubscriptionMachine {
        var machine = SubscriptionMachine(server: "http://example.com")
        guard link != .none else { return machine }
        _ = machine.begin(1, people, since: since)
        guard link != .connecting else { return machine }
        _ = machine.connected(session: 1)
        _ = frames(&machine)
        guard link != .open else { return machine }
        if link == .dropping {
            _ = machine.received(session: 1, [.malformed("noise")])
        } else {
            _ = machine.disconnected(session: 1, failure)
        }
        #expect(machine.link == link)
        return machine
    }

    /// A machine whose subscription 1 is live at a revision.
    private func live(_ revision: Int64? = 10) -> SubscriptionMachine {
        var machine = machine(.open)
        _ = machine.received(session: 1, [.subscribed(id: "s1", revision.map { Revision($0) })])
        return machine
    }

    private func frames(_ machine: inout SubscriptionMachine) -> [String] {
        var frames: [String] = []
        while let frame = machine.nextFrame() { frames.append(String(decoding: frame, as: UTF8.self)) }
        return frames
    }

    private func row(_ revision: Int64) -> Change {
        Change(revision: Revision(revision), kind: .created, row: Row(id: "a", json: [1]))
    }

    // MARK: Subscribing

    @Test func theFirstSubscriptionOpensASession() {
        var machine = machine(.none)
        #expect(said(machine.begin(1, people, since: nil)) == ["open 1"])
        #expect(said(machine.begin(2, people, since: nil)).isEmpty)
        #expect(frames(&machine).isEmpty)
        #expect(said(machine.connected(session: 1)) == ["deadline 2"])
        #expect(
            frames(&machine) == [
                #"{"type":"subscribe","id":"s1","table":"people"}"#,
                #"{"type":"subscribe","id":"s2","table":"people"}"#,
            ]
        )
    }

    @Test func aSubscriptionOnAnOpenConnectionIsSentAtOnce() throws {
        var machine = machine(.open)
        let query = Query(try Where("age > 20"), sort: [SortTerm("name")])
        let request = SubscriptionRequest(table: "a \"b\"", query: query)
        // The deadline of the first one still runs, and starts another when it is over.
        #expect(said(machine.begin(2, request, since: Revision(7))).isEmpty)
        let frame =
            #"{"type":"subscribe","id":"s2","table":"a \"b\"","where":"age > 20","sortBy":"name","since":7}"#
        #expect(frames(&machine) == [frame])
    }

    @Test(arguments: [SubscriptionMachine.Link.connecting, .dropping, .down])
    func aSubscriptionWithoutAConnectionWaitsForOne(link: SubscriptionMachine.Link) {
        var machine = machine(link)
        #expect(said(machine.begin(2, people, since: nil)).isEmpty)
        #expect(frames(&machine).isEmpty)
        if link == .dropping { _ = machine.disconnected(session: 1, nil) }
        _ = machine.connected(session: 1)
        #expect(frames(&machine).count == 2)
    }

    // MARK: Leaving

    @Test func whoLeavesIsUnsubscribed() {
        var machine = live()
        #expect(said(machine.end(1)) == ["linger 2"])
        #expect(frames(&machine) == [#"{"type":"unsubscribe","id":"s1"}"#])
        #expect(said(machine.end(1)).isEmpty)
        #expect(
            said(machine.received(session: 1, [.change(id: "s1", row(11)), .unsubscribed(id: "s1")])).isEmpty
        )
    }

    @Test func whoLeavesBeforeTheSubscriptionIsSentLeavesNoTrace() {
        var machine = machine(.open)
        _ = machine.begin(2, people, since: nil)
        _ = machine.end(2)
        #expect(frames(&machine).isEmpty)
    }

    @Test(arguments: [SubscriptionMachine.Link.connecting, .dropping, .down])
    func whoLeavesWithoutAConnectionIsNotSubscribedAgain(link: SubscriptionMachine.Link) {
        var machine = machine(link)
        #expect(said(machine.end(1)) == ["linger 2"])
        if link == .dropping { _ = machine.disconnected(session: 1, nil) }
        _ = machine.connected(session: 1)
        #expect(frames(&machine).isEmpty)
    }

    @Test(arguments: [SubscriptionMachine.Link.connecting, .open, .dropping, .down])
    func theSessionEndsAWhileAfterTheLastSubscription(link: SubscriptionMachine.Link) {
        var machine = machine(link)
        _ = machine.end(1)
        #expect(said(machine.lingered(1)).isEmpty)
        #expect(said(machine.lingered(2)) == ["close 1"])
        #expect(machine.link == .none)
        #expect(said(machine.lingered(2)).isEmpty)
        #expect(said(machine.connected(session: 1)).isEmpty)
        #expect(said(machine.ended(session: 1, nil)).isEmpty)
        #expect(said(machine.begin(2, people, since: nil)) == ["open 2"])
    }

    @Test func aNewSubscriptionKeepsTheSession() {
        var machine = live()
        _ = machine.end(1)
        _ = machine.begin(2, people, since: nil)
        #expect(said(machine.lingered(2)).isEmpty)
        #expect(machine.link == .open)
    }

    @Test(arguments: [SubscriptionMachine.Link.none, .connecting, .open, .dropping, .down])
    func aReleasedServerClosesWithItsLastSubscription(link: SubscriptionMachine.Link) {
        var machine = machine(link)
        #expect(said(machine.released()).isEmpty)
        #expect(said(machine.end(1)) == (link == .none ? [] : ["close 1"]))
        var idle = live()
        _ = idle.end(1)
        #expect(said(idle.released()) == ["close 1"])
    }

    // MARK: The connection

    @Test func aLostConnectionInterruptsAndGoesOnFromTheLastRevision() {
        var machine = live()
        _ = machine.received(session: 1, [.change(id: "s1", row(12)), .progress(id: "s1", Revision(15))])
        #expect(said(machine.disconnected(session: 1, failure)) == ["1 interrupted unreachable"])
        #expect(said(machine.retrying(session: 1, because: failure)).isEmpty)
        #expect(said(machine.retrying(session: 1, because: failure)) == ["1 interrupted unreachable"])
        _ = machine.connected(session: 1)
        #expect(frames(&machine) == [#"{"type":"subscribe","id":"s1","table":"people","since":15}"#])
        #expect(
            said(machine.received(session: 1, [.subscribed(id: "s1", Revision(15))])) == [
                "confirm 1", "1 live 15",
            ]
        )
    }

    @Test func aConnectionClosedInOrderInterruptsToo() {
        var machine = live()
        #expect(said(machine.disconnected(session: 1, nil)) == ["1 interrupted unreachable"])
    }

    @Test func aSubscriptionThatWasNeverAnsweredIsSimplyMadeAgain() {
        var machine = machine(.open, since: Revision(3))
        _ = machine.disconnected(session: 1, failure)
        _ = machine.connected(session: 1)
        #expect(frames(&machine) == [#"{"type":"subscribe","id":"s1","table":"people","since":3}"#])
        var fresh = self.machine(.open)
        _ = fresh.disconnected(session: 1, failure)
        _ = fresh.connected(session: 1)
        let answer = IncomingFrame.subscribed(id: "s1", Revision(9))
        #expect(said(fresh.received(session: 1, [answer])) == ["confirm 1", "1 live 9"])
    }

    @Test func withoutRevisionsAReconnectIsAGap() {
        var machine = live(nil)
        _ = machine.disconnected(session: 1, failure)
        _ = machine.connected(session: 1)
        let answer = IncomingFrame.subscribed(id: "s1", nil)
        #expect(said(machine.received(session: 1, [answer])) == ["confirm 1", "1 reset", "1 live -"])
    }

    @Test func aConnectionLostBetweenResetAndLiveIsAnotherGap() {
        var machine = live()
        #expect(said(machine.received(session: 1, [.reset(id: "s1")])) == ["1 reset"])
        #expect(said(machine.received(session: 1, [.change(id: "s1", row(50))])).isEmpty)
        _ = machine.disconnected(session: 1, failure)
        _ = machine.connected(session: 1)
        #expect(frames(&machine) == [#"{"type":"subscribe","id":"s1","table":"people"}"#])
        #expect(
            said(machine.received(session: 1, [.subscribed(id: "s1", Revision(60))])) == [
                "confirm 1", "1 reset", "1 live 60",
            ]
        )
    }

    @Test func aResetIsFollowedByLive() {
        var machine = live()
        let frames: [IncomingFrame] = [
            .reset(id: "s1"), .subscribed(id: "s1", Revision(3)), .change(id: "s1", row(4)),
        ]
        #expect(said(machine.received(session: 1, frames)) == ["1 reset", "1 live 3", "1 created 4"])
    }

    @Test func aServerThatResumesLaterThanAskedLeftSomethingOut() {
        var machine = machine(.open, since: Revision(3))
        #expect(
            said(machine.received(session: 1, [.subscribed(id: "s1", Revision(5))])) == [
                "confirm 1", "1 reset", "1 live 5",
            ]
        )
    }

    @Test(arguments: [nil, Revision(3)]) func aMessageTooLargeIsAGapForWhoeverMayHaveMissedIt(
        since: Revision?
    ) {
        var machine = machine(.open, since: since)
        let tooLarge = RemoteDataError(.tooLarge, "a message of 20 MiB")
        #expect(said(machine.disconnected(session: 1, tooLarge)) == ["1 interrupted unreachable"])
        _ = machine.connected(session: 1)
        #expect(frames(&machine) == [#"{"type":"subscribe","id":"s1","table":"people"}"#])
        // Who wanted what happens from now on, and was not answered yet, has missed nothing.
        #expect(
            said(machine.received(session: 1, [.subscribed(id: "s1", Revision(8))]))
                == (since == nil ? ["confirm 1", "1 live 8"] : ["confirm 1", "1 reset", "1 live 8"])
        )
    }

    @Test(arguments: [SubscriptionMachine.Link.connecting, .open, .dropping, .down])
    func aSessionThatIsOverEndsEveryFeed(link: SubscriptionMachine.Link) {
        var machine = machine(link)
        let refused = RemoteDataError(.unauthorized, "no")
        #expect(said(machine.ended(session: 1, refused)) == ["1 interrupted unauthorized", "1 finish"])
        #expect(machine.link == .none && machine.count == 0)
        #expect(said(machine.begin(2, people, since: nil)) == ["open 2"])
        #expect(said(machine.ended(session: 1, refused)).isEmpty)
    }

    @Test(arguments: [SubscriptionMachine.Link.none, .connecting, .open, .dropping, .down])
    func eventsOfAnotherSessionDoNothing(link: SubscriptionMachine.Link) {
        var machine = machine(link)
        #expect(said(machine.connected(session: 9)).isEmpty)
        #expect(said(machine.disconnected(session: 9, failure)).isEmpty)
        #expect(said(machine.retrying(session: 9, because: failure)).isEmpty)
        #expect(said(machine.ended(session: 9, failure)).isEmpty)
        #expect(said(machine.received(session: 9, [.subscribed(id: "s1", nil), .malformed("x")])).isEmpty)
        #expect(machine.link == link)
    }

    @Test(arguments: [SubscriptionMachine.Link.none, .connecting, .dropping, .down])
    func framesWithoutAConnectionDoNothing(link: SubscriptionMachine.Link) {
        var machine = machine(link)
        let frames: [IncomingFrame] = [
            .subscribed(id: "s1", Revision(1)), .change(id: "s1", row(2)), .reset(id: "s1"), .malformed("x"),
            .problem(id: "s1", ServerProblem(code: 1017, message: "no")),
        ]
        #expect(said(machine.received(session: 1, frames)).isEmpty)
        #expect(machine.link == link)
        #expect(said(machine.disconnected(session: 1, nil)).count == (link == .dropping ? 1 : 0))
    }

    // MARK: Frames

    @Test func aChangeComesOnceAndInOrder() {
        var machine = live()
        let frames: [IncomingFrame] = [
            .change(id: "s1", row(11)), .change(id: "s1", row(11)), .change(id: "s1", row(10)),
            .progress(id: "s1", Revision(11)), .progress(id: "s1", Revision(14)), .change(id: "s1", row(15)),
            .change(id: "s7", row(16)), .unknown, .change(id: "other", row(17)),
        ]
        #expect(
            said(machine.received(session: 1, frames)) == ["1 created 11", "1 progress 14", "1 created 15"]
        )
    }

    @Test(arguments: Array<UInt64>(1...200)) func framesThatComeTogetherAreAsOnesThatComeAlone(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let frames = (0..<60).map { step -> IncomingFrame in
            let revision = Int64(11 + step / 2) + Int64.random(in: -2...3, using: &random)
            let after = Bool.random(using: &random) ? nil : Revision(revision - 1)
            switch Int.random(in: 0..<40, using: &random) {
            case 0: return .reset(id: "s1")
            case 1: return .subscribed(id: "s1", Revision(revision))
            case 2: return .unreadableChange(id: "s1", Revision(revision), after: after)
            case 3: return .change(id: "s1", Change(revision: nil, kind: .deleted, id: "a"))
            case 4: return .unknown
            case 5...9: return .progress(id: "s1", Revision(revision), after: after)
            case 10...12: return .change(id: "s2", row(revision), after: after)
            default: return .change(id: "s1", row(revision), after: after)
            }
        }
        var together = live()
        var alone = together
        let first = said(together.received(session: 1, frames))
        let second = frames.flatMap { said(alone.received(session: 1, [$0])) }
        #expect(first == second)
        #expect(self.frames(&together) == self.frames(&alone))
    }

    @Test func changesBeforeTheAnswerAreNotPassedOn() {
        var machine = machine(.open)
        #expect(said(machine.received(session: 1, [.change(id: "s1", row(11))])).isEmpty)
    }

    @Test func aChangeThatMakesNoSenseIsAGap() {
        var machine = live()
        let frames: [IncomingFrame] = [.unreadableChange(id: "s1", Revision(12)), .change(id: "s1", row(13))]
        #expect(said(machine.received(session: 1, frames)) == ["1 reset", "1 live 12", "1 created 13"])
    }

    @Test func aRefusedSubscriptionEndsItsFeedAlone() {
        var machine = live()
        _ = machine.begin(2, people, since: nil)
        let problem = ServerProblem(code: 1017, message: "There is no column nme.")
        #expect(
            said(machine.received(session: 1, [.problem(id: "s2", problem), .change(id: "s1", row(11))]))
                == ["2 interrupted unknown column", "2 finish", "1 created 11"]
        )
        #expect(machine.count == 1)
        #expect(said(machine.end(2)).isEmpty)
    }

    @Test func theLastSubscriptionRefusedLetsTheSessionLinger() {
        var machine = machine(.open)
        let actions = said(
            machine.received(session: 1, [.problem(id: "s1", ServerProblem(code: 1000, message: "x"))])
        )
        #expect(actions == ["1 interrupted invalid request", "1 finish", "linger 2"])
    }

    @Test(arguments: [
        (IncomingFrame.malformed("noise"), "invalid answer"),
        (.problem(id: nil, ServerProblem(code: 1000, message: "what?")), "invalid answer"),
        (.problem(id: "s1", ServerProblem(code: 1503, message: "stopping")), "unavailable"),
        (.unsubscribed(id: "s1"), "unavailable"),
    ])
    func whatASubscriptionCannotGoOnWithDropsTheConnection(frame: IncomingFrame, code: String) {
        var machine = live()
        #expect(said(machine.received(session: 1, [frame, .change(id: "s1", row(11))])) == ["reconnect"])
        #expect(machine.link == .dropping)
        #expect(said(machine.disconnected(session: 1, nil)) == ["1 interrupted \(code)"])
        _ = machine.connected(session: 1)
        #expect(frames(&machine) == [#"{"type":"subscribe","id":"s1","table":"people","since":10}"#])
    }

    // MARK: Deadlines

    @Test func aServerThatDoesNotAnswerIsLeft() {
        var machine = machine(.open)
        #expect(said(machine.overdue(1)) == ["reconnect"])
        #expect(said(machine.disconnected(session: 1, nil)) == ["1 interrupted timed out"])
    }

    @Test func aServerThatAnsweredIsNot() {
        var machine = live()
        #expect(said(machine.overdue(1)).isEmpty)
        #expect(said(machine.begin(2, people, since: nil)) == ["deadline 2"])
        #expect(said(machine.begin(3, people, since: nil)).isEmpty)
        _ = machine.received(session: 1, [.subscribed(id: "s2", Revision(10))])
        #expect(said(machine.overdue(2)) == ["deadline 3"])
        #expect(said(machine.overdue(3)) == ["reconnect"])
    }

    @Test(arguments: [SubscriptionMachine.Link.none, .connecting, .dropping, .down])
    func aDeadlineWithoutAConnectionDoesNothing(link: SubscriptionMachine.Link) {
        var machine = machine(link)
        #expect(said(machine.overdue(1)).isEmpty)
        #expect(machine.link == link)
    }
}
