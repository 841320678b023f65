import Testing

@testable import RemoteData

@Suite(.timeLimit(.minutes(1))) struct ChangeFeedTests {
    private func change(_ revision: Int64?) -> ChangeEvent {
        .change(Change(revision: revision.map { Revision($0) }, kind: .deleted, id: "1"))
    }

    private func live(_ revision: Int64) -> ChangeEvent { .live(Revision(revision)) }

    /// What comes of events that a feed of two does not have room for.
    private func left(of events: [ChangeEvent]) async -> [String] {
        let feed = ChangeFeed(capacity: 2)
        feed.handOn([live(1), change(2)])
        feed.handOn(events)
        let batch = await feed.nextBatch()
        return batch.map { "\($0)" }
    }

    @Test func whatHasRoomIsHandedOnAsItIs() async {
        let feed = ChangeFeed(capacity: 4)
        feed.handOn([live(1), change(2)])
        feed.handOn([change(3), .progress(Revision(4))])
        let batch = await feed.nextBatch()
        #expect(batch.map { $0.revision?.rawValue } == [1, 2, 3, 4])
    }

    @Test func aFullFeedTellsFromWhereOnItIsCompleteAgain() async {
        let reset = "\(ChangeEvent.reset)"
        let error = RemoteDataError(.unavailable, "gone")
        #expect(await left(of: [change(3)]) == [reset, "\(live(3))"])
        #expect(await left(of: [change(3), .progress(Revision(5))]) == [reset, "\(live(5))"])
        #expect(await left(of: [change(3), change(nil)]) == [reset, "\(live(3))"])
        #expect(await left(of: [change(nil)]) == [reset, "\(ChangeEvent.live(nil))"])
        #expect(await left(of: [.interrupted(error), .live(nil)]) == [reset, "\(ChangeEvent.live(nil))"])
        let interrupted = "\(ChangeEvent.interrupted(error))"
        #expect(await left(of: [change(3), .interrupted(error)]) == [reset, interrupted])
        // What follows tells.
        #expect(await left(of: [change(3), .reset]) == [reset])
    }
}
