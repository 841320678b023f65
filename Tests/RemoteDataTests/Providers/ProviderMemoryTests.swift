import Testing

@testable import RemoteData

@Suite(.timeLimit(.minutes(1))) struct ProviderMemoryTests {
    private typealias Provider = CollectionDataProvider<Song>

    private let jukebox = Jukebox()

    /// Whether nothing is kept, as soon as nobody is being told who is gone.
    private func isEmpty() async -> Bool {
        let jukebox = jukebox
        let isSo: Void? = try? await eventually("nothing is kept") {
            await jukebox.space.settled()
            return jukebox.space.consistency.counts == (0, 0, 0)
        }
        return isSo != nil
    }

    @Test func nothingIsKeptOfAModelWhoseProviderIsGone() async {
        do {
            let provider = await jukebox.song(Song("a", by: Singer("s")))
            provider.onChange { _ in }
            jukebox.space.update(Song("a", 1))
            await jukebox.space.settled()
            #expect(jukebox.space.consistency.counts.listeners == 1)
        }
        #expect(await isEmpty())
    }

    @Test func nothingIsKeptOfAModelThatWasWaitedFor() async throws {
        do {
            let provider = await jukebox.song()
            try await provider.fetchFromCache(.song("a"))
            await jukebox.space.settled()
            #expect(jukebox.space.consistency.counts.ids == 1)
        }
        #expect(await isEmpty())
    }

    @Test func nothingIsKeptOfAModelWhosePausedProviderIsGone() async {
        do {
            let provider = await jukebox.song(Song("a"))
            provider.isPaused = true
            jukebox.space.update(Song("a", 1))
            await jukebox.space.settled()
        }
        #expect(await isEmpty())
    }

    @Test func nothingIsKeptOfAModelThatWasSetToNothing() async {
        let provider = await jukebox.song(Song("a"))
        provider.set(nil)
        await jukebox.space.settled()
        #expect(jukebox.space.consistency.counts.trees == 0)
        #expect(jukebox.space.consistency.counts.ids == 0)
    }

    @Test func nothingIsKeptOfAListWhoseProvidersAreGone() async throws {
        do {
            let one = await jukebox.songs((0..<300).map { Song("\($0)", by: Singer("s")) }, key: "hits")
            let other = try await jukebox.sibling("hits")
            other.isPaused = true
            one.remove(at: 5)
            one.update(Song("x"), at: 7)
            one.append([Song("y")])
            jukebox.space.update(Singer("s", "Nina"))
            jukebox.space.delete(Song("9"))
            await jukebox.space.settled()
            #expect(jukebox.space.livingList("hits", of: Song.self) != nil)
        }
        #expect(await isEmpty())
        #expect(jukebox.space.livingList("hits", of: Song.self) == nil)
    }

    @Test func nothingIsKeptOfAListThatIsEmptied() async {
        let provider = await jukebox.songs([Song("a"), Song("b", by: Singer("s"))], key: "hits")
        provider.remove(at: 0)
        provider.set([], cacheKey: "hits")
        #expect(await isEmpty())
    }

    @Test func nothingIsKeptOfAListWhoseProviderTookAnother() async throws {
        let provider = await jukebox.songs([Song("a")], key: "hits")
        provider.set([], cacheKey: "more")
        #expect(await isEmpty())
        #expect(jukebox.space.livingList("hits", of: Song.self) == nil)
        #expect(jukebox.space.livingList("more", of: Song.self) != nil)
    }

    @Test func nothingIsKeptAfterStaticChanges() async throws {
        try await Provider.append([Song("a"), Song("b")], cacheKey: "hits", in: jukebox.space)
        #expect(await isEmpty())
        #expect(jukebox.space.livingList("hits", of: Song.self) == nil)
    }

    @Test func whatIsSaidToAProviderKeepsNobody() async {
        var provider: Provider? = await jukebox.songs([Song("a")], key: "hits")
        weak let gone = provider
        provider?.append([Song("b")])
        provider?.isPaused = true
        provider?.isPaused = false
        provider = nil
        #expect(gone == nil)
    }

    @Test func aSpaceGoesWithItsProviders() async {
        weak var gone: ModelSpace?
        do {
            let space = ModelSpace(cache: MemoryModelCache())
            gone = space
            let (single, list) = (DataProvider<Song>(space), Provider(space))
            single.set(Song("a"))
            list.set([Song("a")], cacheKey: "hits")
            await space.settled()
        }
        // Whoever ends the list may hold the space until the end is worked out.
        while gone != nil { await Task.yield() }
        #expect(gone == nil)
    }
}
