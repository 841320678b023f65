import Testing

@testable import RemoteDataNetwork

@Suite struct StallWatchTests {
    let start = ContinuousClock.now

    private func at(_ seconds: Int) -> ContinuousClock.Instant { start + .seconds(seconds) }

    @Test func nothingMovingForTheLimitIsAStall() {
        var watch = StallWatch(limit: .seconds(10), now: start)
        #expect(watch.firstLook == at(10))
        #expect(watch.look(at: at(10), bytes: 0) == .stalled)
    }

    @Test func movingBytesGiveTheTransferItsTimeAgain() {
        var watch = StallWatch(limit: .seconds(10), now: start)
        #expect(watch.look(at: at(10), bytes: 1) == .look(at: at(20)))
        #expect(watch.look(at: at(20), bytes: 2) == .look(at: at(30)))
        #expect(watch.look(at: at(30), bytes: 2) == .stalled)
    }

    @Test func anEarlyLookDecidesNothing() {
        var watch = StallWatch(limit: .seconds(10), now: start)
        #expect(watch.look(at: at(9), bytes: 0) == .look(at: at(10)))
    }

    @Test func aConnectionBeingMadeIsNoStall() {
        var watch = StallWatch(limit: .seconds(10), now: start)
        #expect(watch.look(at: at(10), bytes: nil) == .look(at: at(20)))
        #expect(watch.look(at: at(20), bytes: 0) == .stalled)
    }
}
