import Testing

@testable import RemoteData

@Suite struct DataProviderBatchTests {
    private let jukebox = Jukebox()
    private let heard = Heard<String>()

    /// A batch that notes the songs of those that have changed.
    private func batch() -> DataProviderBatch {
        DataProviderBatch(jukebox.space) { [heard] changed, context in
            let texts = changed.map { provider in
                switch provider {
                case let single as DataProvider<Song>: "\(single.data?.plays ?? -1)"
                case let list as CollectionDataProvider<Song>: "\(list.plays)"
                default: "?"
                }
            }
            heard.note("\(texts.sorted()) \(context[Int.self] ?? 0)")
        }
    }

    @Test func eachIsToldFirstAndThenAllOnce() async {
        let (single, list) = (await jukebox.song(Song("a")), await jukebox.songs([Song("a"), Song("b")]))
        let batch = batch()
        batch.add(single)
        batch.add(list)
        single.onChange { [heard] _ in heard.note("single") }
        list.onChange { [heard] _, _ in heard.note("list") }
        jukebox.space.update([Song("a", 1), Song("b", 2)], context: ConsistencyContext(7))
        await jukebox.space.settled()
        #expect(heard.events.dropLast().sorted() == ["list", "single"])
        #expect(heard.events.last == #"["1", "[1, 2]"] 7"#)
    }

    @Test func onlyThoseThatHaveChangedAreTold() async {
        let (one, other) = (await jukebox.song(Song("a")), await jukebox.song(Song("b")))
        let list = await jukebox.songs([Song("c")])
        let batch = batch()
        batch.add(one)
        batch.add(other)
        batch.add(list)
        jukebox.space.update([Song("b", 2), Song("d", 4)])
        jukebox.space.update(Song("c", 3))
        jukebox.space.update(Song("d", 5))
        await jukebox.space.settled()
        #expect(heard.events == [#"["2"] 0"#, #"["[3]"] 0"#])
    }

    @Test func ownChangesAreNotTold() async {
        let (single, list) = (await jukebox.song(Song("a")), await jukebox.songs([Song("b")]))
        let batch = batch()
        batch.add(single)
        batch.add(list)
        single.set(Song("a", 1))
        list.append([Song("c")])
        await jukebox.space.settled()
        #expect(heard.events.isEmpty)
    }

    @Test func siblingsAreToldTogether() async throws {
        let one = await jukebox.songs([Song("a")], key: "hits")
        let (two, three) = (try await jukebox.sibling("hits"), try await jukebox.sibling("hits"))
        let batch = batch()
        for provider in [one, two, three] { batch.add(provider) }
        one.append([Song("b", 1)])
        await jukebox.space.settled()
        #expect(heard.events == [#"["[0, 1]", "[0, 1]"] 0"#])
        jukebox.space.update(Song("a", 2))
        await jukebox.space.settled()
        #expect(heard.events.last == #"["[2, 1]", "[2, 1]", "[2, 1]"] 0"#)
        #expect(heard.events.count == 2)
    }

    @Test func allArePausedTogether() async {
        let (single, list) = (await jukebox.song(Song("a")), await jukebox.songs([Song("a")]))
        let batch = batch()
        batch.add(single)
        batch.add(list)
        batch.isPaused = true
        #expect(batch.isPaused)
        #expect(single.isPaused)
        #expect(list.isPaused)
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(single.data == Song("a"))
        #expect(list.plays == [0])
        #expect(heard.events.isEmpty)
        batch.isPaused = false
        await jukebox.space.settled()
        #expect(!single.isPaused)
        #expect(!list.isPaused)
        #expect(single.data == Song("a", 1))
        #expect(list.plays == [1])
        #expect(!heard.events.isEmpty)
    }

    @Test func whoeverJoinsAPausedBatchIsPaused() async {
        let batch = batch()
        batch.isPaused = true
        let (single, list) = (await jukebox.song(Song("a")), await jukebox.songs([Song("a")]))
        batch.add(single)
        batch.add(list)
        #expect(single.isPaused)
        #expect(list.isPaused)
    }

    @Test func aProviderIsInTheLastBatchOnly() async {
        let single = await jukebox.song(Song("a"))
        let calls = Heard<Int>()
        let first = DataProviderBatch(jukebox.space) { _, _ in calls.note(1) }
        let last = DataProviderBatch(jukebox.space) { _, _ in calls.note(2) }
        first.add(single)
        last.add(single)
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(calls.events == [2])
    }

    @Test func anEarlierBatchPausesAProviderNoMore() async {
        let (single, list) = (await jukebox.song(Song("a")), await jukebox.songs([Song("a")]))
        let (first, last) = (batch(), batch())
        first.add(single)
        first.add(list)
        last.add(single)
        last.add(list)
        first.isPaused = true
        #expect(!single.isPaused)
        #expect(!list.isPaused)
    }

    @Test func aBatchThatIsGoneTellsNothing() async {
        let single = await jukebox.song(Song("a"))
        do {
            let batch = batch()
            batch.add(single)
        }
        jukebox.space.update(Song("a", 1))
        await jukebox.space.settled()
        #expect(heard.events.isEmpty)
        #expect(single.data == Song("a", 1))
    }

    @Test func aBatchKeepsNoProvider() async {
        let batch = batch()
        var single: DataProvider<Song>? = await jukebox.song(Song("a"))
        weak let gone = single
        if let single { batch.add(single) }
        single = nil
        #expect(gone == nil)
        batch.isPaused = true
    }
}
