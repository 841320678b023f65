import Testing

@testable import RemoteData

@Suite struct DataProviderFetchTests {
    private let jukebox = Jukebox()

    @Test func aModelOfTheCacheIsThere() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        #expect(try await provider.fetchFromCache(.song("a")) == Song("a", 1))
        #expect(provider.data == Song("a", 1))
        #expect(jukebox.cache.written.events.count == 1)
    }

    @Test func whatWasFetchedIsTold() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        let changes = provider.changes()
        try await provider.fetchFromCache(.song("a"))
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(changes.events == [Song("a", 2)])
    }

    @Test func aModelThatIsNotThereIsNil() async throws {
        let provider = await jukebox.song()
        #expect(try await provider.fetchFromCache(.song("a")) == nil)
        #expect(provider.data == nil)
    }

    @Test func aSecondFetchOfTheSameModelDoesNotAskTheCache() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        try await provider.fetchFromCache(.song("a"))
        #expect(try await provider.fetchFromCache(.song("a")) == Song("a", 1))
        #expect(jukebox.cache.reads == 1)
    }

    @Test func afterAMissTheModelMayBeThere() async throws {
        let provider = await jukebox.song()
        #expect(try await provider.fetchFromCache(.song("a")) == nil)
        try await jukebox.store([Song("a", 1)])
        #expect(try await provider.fetchFromCache(.song("a")) == Song("a", 1))
        #expect(provider.data == Song("a", 1))
    }

    @Test func afterAFailureTheModelMayBeThere() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        jukebox.cache.failReads()
        let error = await #expect(throws: RemoteDataError.self) {
            try await provider.fetchFromCache(.song("a"))
        }
        #expect(error?.code == .storage)
        #expect(error?.cause is GatedCache.Failure)
        #expect(provider.data == nil)
        jukebox.cache.failReads(false)
        #expect(try await provider.fetchFromCache(.song("a")) == Song("a", 1))
    }

    @Test func somethingElseUnderTheIDIsAnErrorThatSaysSo() async throws {
        try await jukebox.cache.write([.model(.song("a"), try CacheCoding.encoded(["no": "song"]))])
        let provider = await jukebox.song()
        let error = await #expect(throws: RemoteDataError.self) {
            try await provider.fetchFromCache(.song("a"))
        }
        #expect(error?.code == .invalidModel)
        #expect(error?.message == "The cache has something else than a Song.")
        #expect(error?.cause is DecodingError)
        #expect(provider.data == nil)
    }

    @Test func aFetchAfterASetOfAnotherModelTakesTheOther() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song(Song("b", 2))
        #expect(try await provider.fetchFromCache(.song("a")) == Song("a", 1))
        #expect(provider.data == Song("a", 1))
    }

    @Test func aMissLeavesTheModelThatIsThere() async throws {
        let provider = await jukebox.song(Song("b", 2))
        #expect(try await provider.fetchFromCache(.song("a")) == Song("b", 2))
        jukebox.space.update(Song("b", 3))
        await jukebox.space.settled()
        #expect(provider.data == Song("b", 3))
    }

    // MARK: Races

    @Test func whatIsSetWhileTheCacheLoadsWins() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        jukebox.cache.hold()
        async let fetched = provider.fetchFromCache(.song("a"))
        await jukebox.cache.isWaiting()
        provider.set(Song("a", 2))
        jukebox.cache.letGo()
        #expect(try await fetched == Song("a", 2))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 2))
        #expect(try await jukebox.cachedSong("a") == Song("a", 2))
    }

    @Test func settingNothingWhileTheCacheLoadsWins() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        jukebox.cache.hold()
        async let fetched = provider.fetchFromCache(.song("a"))
        await jukebox.cache.isWaiting()
        provider.set(nil)
        jukebox.cache.letGo()
        #expect(try await fetched == nil)
        #expect(provider.data == nil)
    }

    @Test func ofTwoFetchesTheLaterOneWins() async throws {
        try await jukebox.store([Song("a", 1), Song("b", 2)])
        let provider = await jukebox.song()
        let first = Task.immediate { try await provider.fetchFromCache(.song("a")) }
        let second = Task.immediate { try await provider.fetchFromCache(.song("b")) }
        _ = try await first.value
        #expect(try await second.value == Song("b", 2))
        #expect(provider.data == Song("b", 2))
    }

    @Test func aMissDoesNotKeepALaterFetchOut() async throws {
        try await jukebox.store([Song("b", 2)])
        let provider = await jukebox.song()
        let miss = Task.immediate { try await provider.fetchFromCache(.song("a")) }
        let hit = Task.immediate { try await provider.fetchFromCache(.song("b")) }
        _ = try await miss.value
        #expect(try await hit.value == Song("b", 2))
        #expect(provider.data == Song("b", 2))
    }

    @Test func aModelOlderThanTheOneOthersHoldIsBroughtUpToDate() async throws {
        let other = await jukebox.song()
        other.set(Song("a", 2, by: Singer("s", "new")), updateCache: false)
        try await jukebox.store([Song("a", 1, by: Singer("s", "old"))])
        let provider = await jukebox.song()
        let changes = provider.changes()
        try await provider.fetchFromCache(.song("a"))
        await jukebox.space.settled()
        #expect(provider.data == Song("a", 2, by: Singer("s", "new")))
        #expect(other.data == Song("a", 2, by: Singer("s", "new")))
        #expect(changes.events == [Song("a", 2, by: Singer("s", "new"))])
    }

    // MARK: Completions

    @Test func theCompletionIsCalledOnceWhetherItIsThereOrNot() async throws {
        try await jukebox.store([Song("a", 1)])
        let (hit, miss) = (await jukebox.song(), await jukebox.song())
        let results = Heard<Song?>()
        for (provider, id) in [(hit, "a"), (hit, "a"), (miss, "b")] {
            await withCheckedContinuation { continuation in
                provider.fetchFromCache(.song(id)) { result in
                    results.note(try? result.get())
                    continuation.resume()
                }
            }
        }
        await jukebox.space.settled()
        #expect(results.events == [Song("a", 1), Song("a", 1), nil])
    }

    @Test func theCompletionIsCalledOnceWhereSomethingIsSetMeanwhile() async throws {
        try await jukebox.store([Song("a", 1)])
        let provider = await jukebox.song()
        let results = Heard<Song?>()
        jukebox.cache.hold()
        await withCheckedContinuation { continuation in
            provider.fetchFromCache(.song("a")) { result in
                results.note(try? result.get())
                continuation.resume()
            }
            Task {
                await jukebox.cache.isWaiting()
                provider.set(Song("a", 2))
                jukebox.cache.letGo()
            }
        }
        await jukebox.space.settled()
        #expect(results.events == [Song("a", 2)])
    }

    @Test func theCompletionIsToldOfAFailure() async {
        jukebox.cache.failReads()
        let provider = await jukebox.song()
        let code: RemoteDataError.Code? = await withCheckedContinuation { continuation in
            provider.fetchFromCache(.song("a")) { result in
                if case .failure(let error) = result { return continuation.resume(returning: error.code) }
                continuation.resume(returning: nil)
            }
        }
        #expect(code == .storage)
    }
}
