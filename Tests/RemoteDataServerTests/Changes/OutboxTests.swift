import Synchronization
import Testing

@testable import RemoteDataServer

struct OutboxTests {
    /// An outbox, and how often it woke the loop.
    private struct Fixture {
        let outbox: Outbox
        let wakes: WakeCount
        init(frames: Int = 3, bytes: Int = 1_000, room: FrameRoom = FrameRoom(.max)) {
            let wakes = WakeCount()
            self.wakes = wakes
            outbox = Outbox(frameLimit: frames, byteLimit: bytes, sharing: room) { wakes.add() }
        }

        func drain() -> [String] {
            var texts: [String] = []
            var hasMore = true
            while hasMore {
                let batch = outbox.nextBatch(maximum: 1_000)
                texts += batch.pieces.map { String(decoding: $0.bytes, as: UTF8.self) }
                hasMore = batch.hasMore
            }
            return texts
        }
    }

    private func frame(_ text: String) -> ServerFrame { ServerFrame(json: Array(text.utf8)) }

    @Test func theLoopIsWokenOnceUntilItHasTakenEverything() {
        let fixture = Fixture()
        fixture.outbox.begin(1)
        #expect(fixture.outbox.send(frame("a"), from: 1) == .queued)
        #expect(fixture.outbox.send(frame("b"), from: 1) == .queued)
        #expect(fixture.wakes.value == 1)
        #expect(fixture.drain() == ["a", "b"])
        _ = fixture.outbox.send(frame("c"), from: 1)
        #expect(fixture.wakes.value == 2)
    }

    @Test func anEndedSubscriptionSendsNothingMore() {
        let fixture = Fixture()
        fixture.outbox.begin(1)
        fixture.outbox.begin(2)
        _ = fixture.outbox.send(frame("a"), from: 1)
        _ = fixture.outbox.send(frame("b"), from: 2)
        fixture.outbox.end(1)
        fixture.outbox.answer(frame("ended"))
        #expect(fixture.outbox.send(frame("c"), from: 1) == .ended)
        fixture.outbox.reset(frame("reset"), from: 1)
        fixture.outbox.finish(frame("finished"), from: 1)
        #expect(fixture.drain() == ["b", "ended"])
    }

    @Test func aSubscriptionThatOverflowsIsResetAlone() async {
        let fixture = Fixture(frames: 3)
        fixture.outbox.begin(1)
        fixture.outbox.begin(2)
        _ = fixture.outbox.send(frame("other"), from: 2)
        _ = fixture.outbox.send(frame("a"), from: 1)
        _ = fixture.outbox.send(frame("b"), from: 1)
        #expect(fixture.outbox.send(frame("c"), from: 1) == .overflow)
        fixture.outbox.reset(frame("reset"), from: 1)
        #expect(fixture.drain() == ["other", "reset"])
    }

    @Test func whoWasResetWaitsUntilThatIsSent() async {
        let fixture = Fixture()
        fixture.outbox.begin(1)
        fixture.outbox.reset(frame("reset"), from: 1)
        let outbox = fixture.outbox
        async let sent: Void = outbox.resetSent(for: 1)
        #expect(fixture.drain() == ["reset"])
        await sent
        await outbox.resetSent(for: 1)
    }

    @Test(arguments: [true, false])
    func waitingEndsWithTheSubscriptionAndTheConnection(isClosed: Bool) async {
        let fixture = Fixture()
        fixture.outbox.begin(1)
        fixture.outbox.reset(frame("reset"), from: 1)
        let outbox = fixture.outbox
        async let sent: Void = outbox.resetSent(for: 1)
        if isClosed { outbox.close() } else { outbox.end(1) }
        await sent
        #expect(outbox.send(frame("a"), from: 1) == .ended)
    }

    @Test func aFinishedSubscriptionsFramesAreStillSent() {
        let fixture = Fixture()
        fixture.outbox.begin(1)
        _ = fixture.outbox.send(frame("a"), from: 1)
        fixture.outbox.finish(frame("end"), from: 1)
        #expect(fixture.outbox.send(frame("b"), from: 1) == .ended)
        #expect(fixture.drain() == ["a", "end"])
    }

    @Test("What many WebSockets do not read has one limit, and each has a share of its own")
    func manyThatDoNotRead() {
        let room = FrameRoom(1_000_000)
        let large = ServerFrame(json: Array(repeating: 32, count: 400_000))
        let small = ServerFrame(json: Array(repeating: 32, count: FrameRoom.share))
        let fixtures = (0..<4).map { _ in Fixture(frames: 10, bytes: 10_000_000, room: room) }
        for fixture in fixtures { fixture.outbox.begin(1) }
        #expect(fixtures.map { $0.outbox.send(large, from: 1) } == [.queued, .queued, .overflow, .overflow])
        // Also the frame of which a part is out counts.
        _ = fixtures[0].outbox.nextBatch(maximum: 100_000)
        #expect(fixtures[2].outbox.send(large, from: 1) == .overflow)
        #expect(fixtures[2].outbox.send(small, from: 1) == .queued)
        fixtures[3].outbox.answer(large)
        #expect(fixtures[3].outbox.isOverrun)
        _ = fixtures[0].drain()
        #expect(fixtures[3].outbox.send(large, from: 1) == .queued)
        fixtures[1].outbox.end(1)
        fixtures[3].outbox.close()
        #expect(fixtures[0].outbox.send(large, from: 1) == .queued)
        #expect(fixtures[0].outbox.send(large, from: 1) == .queued)
        #expect(fixtures[0].outbox.send(large, from: 1) == .overflow)
    }

    @Test func aClientThatCausesAnswersWithoutReadingIsNoticed() {
        let fixture = Fixture(frames: 1)
        for _ in 0..<1_002 { fixture.outbox.answer(frame("x")) }
        #expect(!fixture.outbox.isOverrun)
        fixture.outbox.answer(frame("x"))
        #expect(fixture.outbox.isOverrun)
    }
}

/// A number that other threads may add to.
final class WakeCount: Sendable {
    private let count = Mutex(0)
    var value: Int { count.withLock { $0 } }
    func add() { count.withLock { $0 += 1 } }
}
