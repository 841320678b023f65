import Testing

@testable import RemoteData

/// Many at once, on a space's own queues.
@Suite(.timeLimit(.minutes(1))) struct ProviderStressTests {
    private static let ids = (0..<6).map { "\($0)" }

    private let jukebox = Jukebox()

    @Test func inTheEndWhoeverHoldsAModelHoldsTheSame() async throws {
        let jukebox = jukebox
        let ends = await withTaskGroup(of: StressEnd.self) { group in
            for number in 0..<8 { group.addTask { await Self.act(jukebox, number) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await jukebox.space.settled()
        // What was deleted and comes again comes everywhere.
        jukebox.space.update(Self.ids.map { Song($0, -1) })
        await jukebox.space.settled()
        for end in ends {
            #expect(end.one.data == end.other.data)
            #expect(end.mirror.check(end.other.data) == nil)
            #expect(end.one.data.allSatisfy { $0.plays == -1 })
            #expect(end.single.data.map { $0.plays == -1 } ?? true)
            let cached = try await jukebox.space.cachedList(end.key, of: Song.self)
            #expect(cached == end.one.data)
        }
        #expect(jukebox.cache.overlaps == 0)
        #expect(ends.contains { !$0.one.data.isEmpty })
    }

    @Test func nothingIsKeptWhenAllAreGone() async throws {
        let jukebox = jukebox
        await withTaskGroup { group in
            for number in 0..<8 { group.addTask { _ = await Self.act(jukebox, 100 + number) } }
        }
        // What is told last may be let go of behind that.
        try await eventually("nothing is kept") {
            await jukebox.space.settled()
            return jukebox.space.consistency.counts == (0, 0, 0)
        }
    }

    /// One who has two lists with one key and a single model, and tells everybody of others.
    private static func act(_ jukebox: Jukebox, _ number: Int) async -> StressEnd {
        var random = SeededGenerator(seed: UInt64(number))
        let end = StressEnd(jukebox.space, key: "list \(number)")
        for _ in 0..<60 {
            let song = Song(random.pick(ids), random.number(0..<1_000))
            switch random.number(0..<10) {
            case 0: end.one.set([song, Song(random.pick(ids), 7)], cacheKey: end.key)
            case 1, 2: end.one.insert([song], at: 0)
            case 3: end.other.isPaused.toggle()
            case 4: end.single.set(song)
            case 5: jukebox.space.delete(song)
            case 6: _ = try? await end.single.fetchFromCache(song.modelID ?? "")
            case 7: _ = end.one.data.map(\.plays)
            default: jukebox.space.update([song, Song(random.pick(ids), 5)])
            }
            if random.chance(20) { await Task.yield() }
        }
        end.other.isPaused = false
        end.single.isPaused = false
        return end
    }
}

/// What one of many has.
private struct StressEnd: Sendable {
    let one: CollectionDataProvider<Song>
    let other: CollectionDataProvider<Song>
    let single: DataProvider<Song>
    let key: String
    /// The list of ``other``, made of what is told of it.
    let mirror = ListMirror()

    init(_ space: ModelSpace, key: String) {
        self.key = key
        (one, other, single) = (
            CollectionDataProvider(space), CollectionDataProvider(space), DataProvider(space)
        )
        one.set([], cacheKey: key)
        other.set([], cacheKey: key)
        let mirror = mirror
        other.onChange { change, _ in mirror.apply(change) }
    }
}
