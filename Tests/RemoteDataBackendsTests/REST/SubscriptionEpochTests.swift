import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataBackends

/// Subscriptions to a server whose store may have begun anew.
@Suite struct SubscriptionEpochTests {
    private let people = SubscriptionRequest(table: "people", query: Query())
    private let failure = RemoteDataError(.unreachable, "gone")

    /// A machine that has asked for subscription 1 over an open connection.
    private func machine(since: Revision? = nil) -> SubscriptionMachine {
        var machine = SubscriptionMachine(server: "http://example.com")
        _ = machine.begin(1, people, since: since)
        _ = machine.connected(session: 1)
        _ = frames(&machine)
        return machine
    }

    private func frames(_ machine: inout SubscriptionMachine) -> [String] {
        var frames: [String] = []
        while let frame = machine.nextFrame() { frames.append(String(decoding: frame, as: UTF8.self)) }
        return frames
    }

    private static let epochs = (Epoch(rawValue: 0xA), Epoch(rawValue: 0xB))

    /// A machine whose subscription 1 was live at a revision of the first epoch, and is connected anew.
    private func reconnected() -> SubscriptionMachine {
        var machine = machine()
        _ = machine.received(session: 1, [.subscribed(id: "s1", Revision(10, epoch: Self.epochs.0))])
        _ = machine.disconnected(session: 1, failure)
        _ = machine.connected(session: 1)
        #expect(
            frames(&machine) == [
                #"{"type":"subscribe","id":"s1","table":"people","since":10,"epoch":"0000000a"}"#
            ]
        )
        return machine
    }

    @Test(
        "Another epoch is a gap, though the server says nothing of one",
        arguments: [0, 4, 10, 50] as [Int64]
    )
    func anotherEpochIsAGap(number: Int64) {
        let begin = Revision(number, epoch: Self.epochs.1)
        for revision in [begin, Revision(number + 1)] {
            var machine = reconnected()
            #expect(
                said(machine.received(session: 1, [.subscribed(id: "s1", revision)])) == [
                    "confirm 1", "1 reset", "1 live \(revision)",
                ]
            )
        }
        var machine = reconnected()
        #expect(
            said(machine.received(session: 1, [.reset(id: "s1"), .subscribed(id: "s1", begin)])) == [
                "1 reset", "confirm 1", "1 live \(begin)",
            ]
        )
        _ = machine.disconnected(session: 1, failure)
        _ = machine.connected(session: 1)
        #expect(
            frames(&machine) == [
                #"{"type":"subscribe","id":"s1","table":"people","since":\#(number),"epoch":"0000000b"}"#
            ]
        )
    }

    @Test("A server without epochs that goes back to a lower revision is a gap")
    func goingBackIsAGap() {
        var machine = machine(since: Revision(10))
        #expect(
            said(machine.received(session: 1, [.subscribed(id: "s1", Revision(4))])) == [
                "confirm 1", "1 reset", "1 live 4",
            ]
        )
    }

    @Test("The same epoch goes on where it was")
    func theSameEpochGoesOn() {
        var machine = reconnected()
        let begin = Revision(10, epoch: Self.epochs.0)
        #expect(
            said(machine.received(session: 1, [.subscribed(id: "s1", begin)])) == [
                "confirm 1", "1 live \(begin)",
            ]
        )
        var fresh = self.machine(since: .zero)
        let first = Revision(0, epoch: Self.epochs.0)
        #expect(
            said(fresh.received(session: 1, [.subscribed(id: "s1", first)])) == [
                "confirm 1", "1 live \(first)",
            ]
        )
    }

    @Test("Frames belong to the epoch of their subscription, whatever they were read as")
    func framesBelongToTheirSubscription() {
        let begin = Revision(10, epoch: Self.epochs.1)
        for epoch in [nil, Self.epochs.0, Self.epochs.1] {
            func revision(_ number: Int64) -> Revision { Revision(number, epoch: epoch) }
            func change(_ number: Int64) -> Change {
                let row = Row(id: "a", revision: revision(number), json: [1])
                return Change(revision: revision(number), kind: .created, row: row)
            }
            var machine = machine()
            _ = machine.received(session: 1, [.subscribed(id: "s1", begin)])
            let frames: [IncomingFrame] = [
                .change(id: "s1", change(11), after: revision(10)),
                .change(id: "s1", change(13), after: revision(12)),
                .progress(id: "s1", revision(12), after: revision(11)),
                .unreadableChange(id: "s1", revision(14), after: revision(13)),
                .change(id: "s1", change(15)),
            ]
            let actions = machine.received(session: 1, frames)
            #expect(
                said(actions) == [
                    "1 created 11-0000000b", "patience 1", "1 progress 12-0000000b", "1 created 13-0000000b",
                    "1 reset", "1 live 14-0000000b", "1 created 15-0000000b",
                ]
            )
            for case .deliver(_, let events) in actions {
                for case .change(let change) in events { #expect(change.row?.revision == change.revision) }
            }
        }
    }
}
