import Testing

@testable import RemoteDataNetwork

@Suite struct StallWatchTests {
    let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func nothingMovingForTheLimitIsAStall() {
        var watch = StallWatch(limit: .seconds(40), now: start)
        #expect(watch.firstLook == at(10))
        #expect(watch.look(at: at(10), bytes: 0) == .look(at: at(20)))
        #expect(watch.look(at: at(39), bytes: 0) == .look(at: at(40)))
        #expect(watch.look(at: at(40), bytes: 0) == .stalled)
    }

    @Test func movingBytesGiveTheTransferItsTimeAgain() {
        var watch = StallWatch(limit: .seconds(40), now: start)
        #expect(watch.look(at: at(39), bytes: 1) == .look(at: at(49)))
        #expect(watch.look(at: at(78), bytes: 2) == .look(at: at(88)))
        #expect(watch.look(at: at(117), bytes: 2) == .look(at: at(118)))
        #expect(watch.look(at: at(118), bytes: 2) == .stalled)
    }

    @Test func aConnectionBeingMadeIsNoStall() {
        var watch = StallWatch(limit: .seconds(40), now: start)
        #expect(watch.look(at: at(100), bytes: nil) == .look(at: at(110)))
        #expect(watch.look(at: at(140), bytes: 0) == .stalled)
    }
}
