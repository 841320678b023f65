import Observation
import Testing

@testable import RemoteData

@Suite struct ProviderObservationTests {
    private let jukebox = Jukebox()

    /// How often what a body reads was said to have changed, once at most.
    private func watch(_ body: () -> Void) -> Heard<Int> {
        let heard = Heard<Int>()
        withObservationTracking(body) { heard.note(1) }
        return heard
    }

    // MARK: A model

    @Test func whoeverReadsAModelHearsOfAChangeElsewhere() async {
        let provider = await jukebox.song(Song("a"))
        let heard = watch { _ = provider.data }
        #expect(heard.events.isEmpty)
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(heard.events.count == 1)
    }

    @Test func whoeverReadsAModelHearsOfASetAtOnce() async {
        let provider = await jukebox.song(Song("a"))
        let heard = watch { _ = provider.data }
        provider.set(Song("a", 1))
        #expect(heard.events.count == 1)
    }

    @Test func whoeverReadsAModelHearsOfADeletion() async {
        let provider = await jukebox.song(Song("a"))
        let heard = watch { _ = provider.data }
        jukebox.space.delete(Song("a"))
        await jukebox.space.settled()
        #expect(heard.events.count == 1)
    }

    @Test func whoeverReadsAModelHearsOfAFetch() async throws {
        try await jukebox.store([Song("a")])
        let provider = await jukebox.song()
        let heard = watch { _ = provider.data }
        try await provider.fetchFromCache(.song("a"))
        #expect(heard.events.count == 1)
    }

    @Test func whoeverReadsAModelHearsNothingOfOthers() async throws {
        let (provider, other) = (await jukebox.song(Song("a")), await jukebox.song(Song("b")))
        let heard = watch { _ = provider.data }
        other.set(Song("b", 1))
        jukebox.space.update(Song("a"))
        try await provider.fetchFromCache(.song("a"))
        await jukebox.space.settled()
        #expect(heard.events.isEmpty)
    }

    @Test func whoeverReadsNothingHearsNothing() async {
        let provider = await jukebox.song(Song("a"))
        let heard = watch {
            _ = provider.isPaused
            _ = provider.delegate
        }
        provider.set(Song("a", 1))
        await jukebox.space.settled()
        #expect(heard.events.isEmpty)
    }

    @Test func aPausedModelIsHeardOfAfterwards() async {
        let provider = await jukebox.song(Song("a"))
        provider.isPaused = true
        let heard = watch { _ = provider.data }
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(heard.events.isEmpty)
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(heard.events.count == 1)
    }

    // MARK: A list

    @Test func whoeverReadsAListItsCountOrARowHearsOfAChangeElsewhere() async {
        let provider = await jukebox.songs([Song("a"), Song("b")])
        let watches = [
            watch { _ = provider.data }, watch { _ = provider.count }, watch { _ = provider[1] },
        ]
        jukebox.space.update(Song("b", 1))
        await jukebox.space.settled()
        for heard in watches { #expect(heard.events.count == 1) }
    }

    @Test func whoeverReadsAListHearsOfEveryOwnChangeAtOnce() async throws {
        let provider = await jukebox.songs([Song("a")])
        let changes: [() -> Void] = [
            { provider.append([Song("b")]) }, { provider.insert([Song("c")], at: 0) },
            { provider.update(Song("d"), at: 0) }, { provider.remove(at: 0) },
            { provider.set([Song("e")], cacheKey: "hits") },
        ]
        for change in changes {
            let heard = watch { _ = provider.count }
            change()
            #expect(heard.events.count == 1)
        }
    }

    @Test func whoeverReadsAListHearsOfASiblingsChange() async throws {
        let one = await jukebox.songs([Song("a")], key: "hits")
        let other = try await jukebox.sibling("hits")
        let heard = watch { _ = other[0] }
        one.append([Song("b")])
        await jukebox.space.settled()
        #expect(heard.events.count == 1)
    }

    @Test func whoeverReadsAListHearsOfAFetch() async throws {
        try await jukebox.store([Song("a")], key: "hits")
        let (one, other) = (CollectionDataProvider<Song>(jukebox.space), try await jukebox.sibling("none"))
        let heard = watch { _ = one.count }
        let unheard = watch { _ = other.count }
        try await one.fetchFromCache("hits")
        await jukebox.space.settled()
        #expect(heard.events.count == 1)
        #expect(unheard.events.isEmpty)
    }

    @Test func manyChangesOfOneBatchAreOneNotice() async {
        let provider = await jukebox.songs((0..<20).map { Song("\($0)") })
        let (heard, calls) = (Heard<Int>(), provider.changes())
        track(provider, heard)
        jukebox.space.update((0..<20).map { Song("\($0)", 1) })
        await jukebox.space.settled()
        #expect(heard.events.count == 1)
        #expect(calls.events.count == 1)
    }

    @Test func aPausedListIsHeardOfAfterwards() async {
        let provider = await jukebox.songs([Song("a")])
        provider.isPaused = true
        let heard = watch { _ = provider.count }
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(heard.events.isEmpty)
        provider.isPaused = false
        await jukebox.space.settled()
        #expect(heard.events.count == 1)
    }
}

/// Counts every change of what is read, again and again.
private func track(_ provider: CollectionDataProvider<Song>, _ heard: Heard<Int>) {
    withObservationTracking {
        _ = provider[0]
        _ = provider.count
    } onChange: { [weak provider] in
        heard.note(1)
        if let provider { track(provider, heard) }
    }
}
