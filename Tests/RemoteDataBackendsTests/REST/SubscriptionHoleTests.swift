import RemoteData
import Testing

@testable import RemoteDataBackends

/// Frames that are missing, come twice or in another order.
struct SubscriptionHoleTests {
    private let people = SubscriptionRequest(table: "people", query: Query())

    /// A machine whose subscription 1 is live at revision 10.
    private func live() -> SubscriptionMachine {
        var machine = SubscriptionMachine(server: "http://example.com")
        _ = machine.begin(1, people, since: nil)
        _ = machine.connected(session: 1)
        _ = frames(&machine)
        _ = machine.received(session: 1, [.subscribed(id: "s1", Revision(10))])
        return machine
    }

    private func frames(_ machine: inout SubscriptionMachine) -> [String] {
        var frames: [String] = []
        while let frame = machine.nextFrame() { frames.append(String(decoding: frame, as: UTF8.self)) }
        return frames
    }

    private func change(_ revision: Int64, after: Int64?, id: String = "s1") -> IncomingFrame {
        let row = Row(id: "a", json: [1])
        let change = Change(revision: Revision(revision), kind: .created, row: row)
        return .change(id: id, change, after: after.map { Revision($0) })
    }

    @Test func framesThatFollowEachOtherPassAtOnce() {
        var machine = live()
        let frames = [
            change(12, after: 10), .progress(id: "s1", Revision(15), after: Revision(12)),
            change(19, after: 15),
        ]
        #expect(
            said(machine.received(session: 1, frames)) == ["1 created 12", "1 progress 15", "1 created 19"]
        )
    }

    @Test func aRepeatedFrameIsDropped() {
        var machine = live()
        let frames = [
            change(12, after: 10), change(12, after: 10), change(13, after: 12), change(12, after: 10),
        ]
        #expect(said(machine.received(session: 1, frames)) == ["1 created 12", "1 created 13"])
        #expect(said(machine.received(session: 1, [.subscribed(id: "s1", Revision(10))])).isEmpty)
        #expect(said(machine.received(session: 1, [change(14, after: 13)])) == ["1 created 14"])
    }

    @Test func framesInAnotherOrderArePutRight() {
        var machine = live()
        #expect(said(machine.received(session: 1, [change(14, after: 12)])) == ["patience 1"])
        let rest = [change(19, after: 14), change(12, after: 10)]
        #expect(said(machine.received(session: 1, rest)) == ["1 created 12", "1 created 14", "1 created 19"])
        #expect(said(machine.impatient(1)).isEmpty)
        #expect(frames(&machine).isEmpty)
    }

    @Test(arguments: [false, true]) func aFrameThatStaysAwayIsAskedForAgain(isChange: Bool) {
        var machine = live()
        let ahead = isChange ? change(14, after: 12) : .progress(id: "s1", Revision(14), after: Revision(12))
        #expect(said(machine.received(session: 1, [ahead])) == ["patience 1"])
        // The deadline of the first answer still runs.
        #expect(said(machine.impatient(1)).isEmpty)
        #expect(
            frames(&machine) == [
                #"{"type":"unsubscribe","id":"s1"}"#,
                #"{"type":"subscribe","id":"s1.1","table":"people","since":10}"#,
            ]
        )
        // What still comes for the old name is not taken for the new one's.
        let late = [change(12, after: 10), change(15, after: 14), .unsubscribed(id: "s1")]
        #expect(said(machine.received(session: 1, late)).isEmpty)
        let again = [
            .subscribed(id: "s1.1", Revision(10)), change(12, after: 10, id: "s1.1"),
            change(14, after: 12, id: "s1.1"),
        ]
        #expect(said(machine.received(session: 1, again)) == ["1 live 10", "1 created 12", "1 created 14"])
        #expect(said(machine.end(1)) == ["linger 2"])
        #expect(frames(&machine) == [#"{"type":"unsubscribe","id":"s1.1"}"#])
    }

    @Test func whoCannotGoOnIsToldOfAGap() {
        var machine = live()
        _ = machine.received(session: 1, [change(14, after: 12)])
        _ = machine.impatient(1)
        let again: [IncomingFrame] = [
            .reset(id: "s1.1"), .subscribed(id: "s1.1", Revision(14)), change(15, after: 14, id: "s1.1"),
        ]
        #expect(said(machine.received(session: 1, again)) == ["1 reset", "1 live 14", "1 created 15"])
    }

    @Test func aHoleThatIsThereAgainIsAGap() {
        var machine = live()
        _ = machine.received(session: 1, [change(14, after: 12)])
        _ = machine.impatient(1)
        _ = frames(&machine)
        let again = [.subscribed(id: "s1.1", Revision(10)), change(14, after: 12, id: "s1.1")]
        #expect(said(machine.received(session: 1, again)) == ["1 live 10", "patience 2"])
        _ = machine.impatient(2)
        #expect(frames(&machine).last == #"{"type":"subscribe","id":"s1.2","table":"people"}"#)
        let last: [IncomingFrame] = [.subscribed(id: "s1.2", Revision(14))]
        #expect(said(machine.received(session: 1, last)) == ["1 reset", "1 live 14"])
    }

    @Test func aSecondHoleHasATimeOfItsOwn() {
        var machine = live()
        _ = machine.begin(2, people, since: nil)
        _ = machine.received(session: 1, [.subscribed(id: "s2", Revision(10))])
        _ = frames(&machine)
        #expect(said(machine.received(session: 1, [change(14, after: 12)])) == ["patience 1"])
        #expect(said(machine.received(session: 1, [change(14, after: 12, id: "s2")])).isEmpty)
        _ = machine.received(session: 1, [change(12, after: 10)])
        #expect(said(machine.impatient(1)) == ["patience 2"])
        #expect(frames(&machine).isEmpty)
        _ = machine.impatient(2)
        #expect(frames(&machine).last == #"{"type":"subscribe","id":"s2.1","table":"people","since":10}"#)
    }

    @Test func tooManyFramesBehindAHoleAreNotKept() {
        var machine = live()
        let frames = (0..<80).map { change(14 + $0, after: 13 + $0) }
        #expect(said(machine.received(session: 1, frames)) == ["patience 1"])
        #expect(
            self.frames(&machine).last == #"{"type":"subscribe","id":"s1.1","table":"people","since":10}"#
        )
        #expect(said(machine.impatient(1)).isEmpty)
    }

    @Test func aConnectionLostInAHoleGoesOnFromInFrontOfIt() {
        var machine = live()
        _ = machine.received(session: 1, [change(14, after: 12)])
        _ = machine.disconnected(session: 1, nil)
        #expect(said(machine.impatient(1)).isEmpty)
        _ = machine.connected(session: 1)
        #expect(frames(&machine) == [#"{"type":"subscribe","id":"s1","table":"people","since":10}"#])
        let again = [.subscribed(id: "s1", Revision(10)), change(12, after: 10), change(14, after: 12)]
        #expect(
            said(machine.received(session: 1, again)) == [
                "confirm 1", "1 live 10", "1 created 12", "1 created 14",
            ]
        )
    }

    @Test func aLostAnswerBehindAResetIsWaitedForNoLongerThanAnother() {
        var machine = live()
        #expect(said(machine.overdue(1)).isEmpty)
        #expect(said(machine.received(session: 1, [.reset(id: "s1")])) == ["1 reset", "deadline 2"])
        #expect(said(machine.received(session: 1, [change(15, after: 14)])).isEmpty)
        #expect(said(machine.overdue(2)) == ["reconnect"])
        _ = machine.disconnected(session: 1, nil)
        _ = machine.connected(session: 1)
        let answer: [IncomingFrame] = [.subscribed(id: "s1", Revision(15))]
        #expect(said(machine.received(session: 1, answer)) == ["confirm 1", "1 reset", "1 live 15"])
    }

    @Test func aChangeThatCannotBeReadWaitsForTheOnesBeforeIt() {
        var machine = live()
        let bad = IncomingFrame.unreadableChange(id: "s1", Revision(14), after: Revision(12))
        #expect(said(machine.received(session: 1, [bad])) == ["patience 1"])
        let missing = [change(12, after: 10), bad]
        #expect(said(machine.received(session: 1, missing)) == ["1 created 12", "1 reset", "1 live 14"])
    }

    @Test func aServerThatTellsNothingOfTheFrameBeforeIsBelieved() {
        var machine = live()
        let frames = [change(14, after: nil), .progress(id: "s1", Revision(19)), change(12, after: nil)]
        #expect(said(machine.received(session: 1, frames)) == ["1 created 14", "1 progress 19"])
    }
}
