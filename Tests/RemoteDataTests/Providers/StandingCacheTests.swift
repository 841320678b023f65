import Foundation
import RemoteDataTesting
import Testing

@testable import RemoteData

/// A cache that stands still for a while.
@Suite(.timeLimit(.minutes(1))) struct StandingCacheTests {
    @Test func ofWhatIsToBeWrittenOnlyTheLastIsKept() async throws {
        let cache = GatedCache()
        let space = ModelSpace(cache: cache)
        cache.hold()
        space.update(Song("a", 0))
        await cache.isWaiting()
        for number in 1...20_000 { space.update(Song("a", number)) }
        await space.consistency.settled()
        let writer = try #require(space.writer)
        try await eventually("it is put together") { writer.waitingCount <= 4_096 }
        cache.letGo()
        #expect(await space.settled())
        let song: Song? = try await space.cachedModel(ModelID("a", of: "song"))
        #expect(song == Song("a", 20_000))
        #expect(cache.overlaps == 0)
        #expect(cache.written.events.count < 9_000)
    }

    @Test func whoReadsDoesNotWaitForever() async throws {
        let cache = GatedCache()
        let space = ModelSpace(cache: cache, deadline: .milliseconds(1))
        cache.hold()
        let error = await #expect(throws: RemoteDataError.self) {
            let _: Song? = try await space.cachedModel(ModelID("a", of: "song"))
        }
        #expect(error?.code == .timedOut)
        #expect(await !space.settled())
        cache.letGo()
    }

    @Test func whatNobodyWaitsForAnyMoreIsNotRead() async throws {
        let cache = GatedCache()
        let space = ModelSpace(cache: cache, deadline: .milliseconds(1))
        cache.hold()
        space.update(Song("a", 0))
        await cache.isWaiting()
        for _ in 0..<20 {
            await #expect(throws: RemoteDataError.self) {
                let _: Song? = try await space.cachedModel(ModelID("b", of: "song"))
            }
        }
        for number in 1...9_000 { space.update(Song("a", number)) }
        let writer = try #require(space.writer)
        try await eventually("it is put together") { writer.waitingCount < 4_096 }
        cache.letGo()
        try await eventually("all is done") { await space.settled() }
        #expect(cache.reads == 0)
    }

    @Test func whoWaitsForAllToBeToldDoesNotWaitForever() async {
        let manual = ManualManager()
        #expect(await !manual.manager.settled(within: .milliseconds(1)))
        manual.settle()
        let waiting = Task { await manual.manager.settled() }
        waiting.cancel()
        #expect(await !waiting.value)
    }

    /// What is put together leaves a cache as what was asked for would have.
    @Test(arguments: UInt64(0)..<200) func puttingTogetherChangesNothing(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let (plain, folded) = (MemoryModelCache(), MemoryModelCache())
        let ids = ["a", "b", "c", "d"].map { ModelID($0, of: "song") }
        var changes = FoldedChanges()
        for number in 0..<Int.random(in: 1..<200, using: &random) {
            let id = ids[Int.random(in: 0..<4, using: &random)]
            let change: ModelCacheChange =
                switch Int.random(in: 0..<4, using: &random) {
                case 0: .deleteModel(id)
                case 1:
                    .list(
                        ["k", "l"][Int.random(in: 0..<2, using: &random)],
                        ids.shuffled(using: &random).prefix(2).map { .model($0) }
                    )
                default: .model(id, Data("\(number)".utf8))
                }
            try await plain.write([change])
            changes.add(FoldedChanges.Timed(time: UInt64(number), change: change))
        }
        #expect(changes.all.count <= 10)
        try await folded.write(changes.all.map(\.change))
        for id in ids { #expect(try await plain.model(id) == folded.model(id)) }
        for key in ["k", "l"] { #expect(try await plain.list(key) == folded.list(key)) }
    }

    @Test func whatIsOlderIsNotPutInThePlaceOfWhatIsNewer() {
        var changes = FoldedChanges()
        let id = ModelID("a", of: "song")
        for (time, text) in [(1, "old"), (3, "new"), (2, "late")] {
            let change = ModelCacheChange.model(id, Data(text.utf8))
            changes.add(FoldedChanges.Timed(time: UInt64(time), change: change))
        }
        #expect(changes.all.map(\.time) == [3])
    }
}
