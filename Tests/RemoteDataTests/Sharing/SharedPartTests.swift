import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// What is said of a model shows in rows that are made of it, and what rows say of their parts reaches all who hold these.
@Suite struct SharedPartTests {
    @Test func aPartThatIsSetElsewhereShowsInAllItsRows() async throws {
        let post = try await Post(Town())
        let letters = try await post.collection()
        try await letters.until(["1 Ada>Bo", "2 Bo", "3 Ada"])
        post.town.space.update(Neighbor("a", "Eve", 36))
        try await letters.until(["1 Eve>Bo", "2 Bo", "3 Eve"])
        post.town.space.update([Neighbor("a", "Eva", 36), Neighbor("b", "Ben", 20)])
        try await letters.until(["1 Eva>Ben", "2 Ben", "3 Eva"])
    }

    @Test func theClauseAndTheSortAreLookedAtAgain() async throws {
        let post = try await Post(Town())
        let letters = try await post.collection(where: "author.age > 30", sort: "author.name desc, id")
        try await letters.until(["1 Ada>Bo", "3 Ada"])
        post.town.space.update(Neighbor("a", "Eve", 3))
        try await letters.until([])
    }

    @Test func anEventOfAnotherTableShowsInRows() async throws {
        let post = try await Post(Town())
        let people = try await post.town.collection()
        let letters = try await post.collection()
        try await post.town.update("b", #"{"name":"Ben"}"#)
        try await letters.until(["1 Ada>Ben", "2 Ben", "3 Ada"])
        try await people.load()
        #expect(people.loadedNames == ["Ada", "Ben", "Cy"])
    }

    @Test func anEventOfOneRowShowsInOthersOfItsTable() async throws {
        let post = try await Post(Town())
        let letters = try await post.collection()
        let people = try await post.town.collection()
        try await people.load()
        try await post.update("3", #"{"author":{"id":"a","name":"Eve","age":37}}"#)
        try await letters.until(["1 Eve>Bo", "2 Bo", "3 Eve"])
        try await people.until(["Eve", "Bo", "Cy"])
    }

    @Test func aPartThatIsDeletedGoesOrTakesItsRowWithIt() async throws {
        let post = try await Post(Town())
        let letters = try await post.collection()
        post.town.space.delete(Neighbor("b", "", 0))
        try await letters.until(["1 Ada", "3 Ada"])
    }

    @Test func rowsThatComeLaterAreFollowedToo() async throws {
        let post = try await Post(Town())
        let letters = try await post.collection()
        post.town.space.update(Neighbor("a", "Eve", 36))
        try await letters.until(["1 Eve>Bo", "2 Bo", "3 Eve"])
        try await letters.add(Letter("4", "Yo", by: Neighbor("c", "Cy", 50)))
        try await post.update("2", #"{"author":{"id":"c","name":"Cy","age":50}}"#)
        try await letters.until(["1 Eve>Bo", "2 Cy", "3 Eve", "4 Cy"])
        post.town.space.update(Neighbor("c", "Cyd", 50))
        try await letters.until(["1 Eve>Bo", "2 Cyd", "3 Eve", "4 Cyd"])
        // Of the second letter he is the author no longer.
        post.town.space.update(Neighbor("b", "Ben", 20))
        try await letters.until(["1 Eve>Ben", "2 Cyd", "3 Eve", "4 Cyd"])
        let bo = ModelID("b", of: "neighbor")
        try await eventually("that is known") {
            letters.state.withLock { $0.parts.map { Array($0.rows(with: [bo]).keys) } == ["1"] }
        }
    }

    @Test func theTableHasTheLastWord() async throws {
        let post = try await Post(Town())
        let letters = try await post.collection()
        let ada = await post.town.provider(Neighbor("a", "Eve", 36))
        try await letters.until(["1 Eve>Bo", "2 Bo", "3 Eve"])
        try await post.update("1", #"{"author":{"id":"a","name":"Abe","age":36}}"#)
        try await letters.until(["1 Abe>Bo", "2 Bo", "3 Abe"])
        #expect(ada.data?.name == "Abe")
    }

    @Test func whatTheTypeDoesNotReadStaysInTheRow() async throws {
        let town = try await Town()
        let post = try await Post(town)
        try await post.update("3", #"{"author":{"id":"a","city":"Rome","name":"Ada","age":36}}"#)
        let letters = try await post.collection(where: "author.city = 'Rome'")
        try await letters.until(["3 Ada"])
        town.space.update(Neighbor("a", "Eve", 36))
        try await letters.until(["3 Eve"])
    }

    @Test func whatAnotherTypeSaysOfAPartIsPutIntoIt() async throws {
        let post = try await Post(Town())
        let letters = try await post.collection()
        post.town.space.update(NamePlate(id: "a", name: "Adi"))
        try await letters.until(["1 Adi>Bo", "2 Bo", "3 Adi"])
        #expect(letters.loadedRow(at: 0)?.author.age == 36)
    }

    @Test func partsOfRowsThatAreReadReachThoseWhoHoldThem() async throws {
        let post = try await Post(Town())
        let ada = await post.town.provider(Neighbor("a", "Old", 36))
        _ = try await post.collection(isLive: false)
        await post.town.space.settled()
        #expect(ada.data?.name == "Ada")
    }

    @Test func whatWasSaidSinceAPageWasAskedForIsNewer() async throws {
        let town = try await Town()
        let post = try await Post(town)
        let ada = await town.provider(Neighbor("a", "Old", 36))
        let share = TableShare<Letter>(
            town.space,
            post.table,
            isWhole: true,
            codec: ElementCodec(idColumn: "id", dates: .epochMilliseconds),
            deadline: .seconds(10),
            surroundings: Surroundings()
        )
        let row = try #require(try await post.table.page(PageRequest(Query(nil), limit: 1)).rows.first)
        let askedAt = share.now
        town.space.update(Neighbor("a", "New", 36))
        share.publishRead([row], askedAt: askedAt)
        await town.space.settled()
        #expect(ada.data?.name == "New")
        share.publishRead([row], askedAt: share.now)
        await town.space.settled()
        #expect(ada.data?.name == "Ada")
    }

    /// What a table does not have is not shown by what was said before it was asked.
    @Test func whatIsOlderThanAPageAddsNoRow() {
        var core = CollectionState(
            query: Query(nil),
            pageSize: 10,
            count: Count(0, revision: nil),
            follows: false
        )
        let row = Row(id: "1", json: "{}".utf8Array[...])
        func isShown(at time: UInt64) -> Bool {
            let hint = RowHint.model(patch: row.json, row: row, time: time)
            return !core.hear(hint, readAt: 7) { _, _ in false }.isEmpty
        }
        #expect(!isShown(at: 6))
        #expect(core.count == 0)
        #expect(isShown(at: 8))
        #expect(core.count == 1)
    }

    @Test func whatAnotherTableSaidBeforeIsNotShownOverWhatTheTableSaysLater() {
        var core = CollectionState(
            query: Query(nil),
            pageSize: 10,
            count: Count(0, revision: nil),
            follows: false
        )
        func hear(_ json: String, isOutdated: Bool) -> Bool {
            let row = Row(id: "1", json: json.utf8Array[...])
            let change = Change(revision: nil, kind: .created, row: row)
            let hint = RowHint.change(change, isWhole: true, isSameTable: false, time: 5)
            return !core.hear(hint, readAt: 0) { _, _ in isOutdated }.isEmpty
        }
        #expect(!hear("{}", isOutdated: true))
        #expect(hear("{}", isOutdated: false))
    }

    @Test func anIndexForgetsWhatIsNotTrueAnyMore() {
        var index = PartIndex()
        let (ada, bo) = (Neighbor("a", "Ada", 36), Neighbor("b", "Bo", 20))
        index.add("1", Letter("1", "", by: ada, to: bo))
        index.add("1", Letter("1", "", by: ada))
        index.add("2", Letter("2", "", by: ada))
        let (a, b) = (ModelID("a", of: "neighbor"), ModelID("b", of: "neighbor"))
        #expect(index.rows(with: [a, b]) == ["1": [a, b], "2": [a]])
        index.remove("1", from: b)
        #expect(index.rows(with: [b]).isEmpty)
        index.settle()
        #expect(!index.isCrowded)
        for number in 0..<5_000 { index.add(.integer(Int64(number)), Letter("3", "", by: ada)) }
        #expect(index.isCrowded)
    }

    @Test func arrivalsAreAllWhereTheyAreTooMany() {
        var arrivals = RowArrivals()
        arrivals.note("0", of: 1)
        #expect(arrivals.take() == nil)
        arrivals.note("1", of: 1)
        #expect(arrivals.take() == ["1"])
        for number in Int64(0)..<2_000 { arrivals.note(.integer(number), of: 1) }
        #expect(arrivals.take() == nil)
    }
}
