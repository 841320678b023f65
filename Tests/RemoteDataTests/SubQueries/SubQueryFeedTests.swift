import RemoteData
import RemoteDataTesting
import Testing

/// Following clauses about rows of other tables.
@Suite(.timeLimit(.minutes(1))) struct SubQueryFeedTests {
    private struct Tables {
        let posts: any Table
        let people: any Table
        let cities: any Table

        init() async throws {
            let store = try await SubQueryTests.store()
            posts = try #require(try await store.table("posts", creating: false))
            people = try #require(try await store.table("people", creating: false))
            cities = try #require(try await store.table("cities", creating: false))
        }

        func feed(_ clause: String, since: Revision? = nil) async throws -> ChangeFeed.Iterator {
            try await posts.subscribe(to: Query(try Where(clause)), since: since).makeAsyncIterator()
        }
    }

    private static func word(_ event: ChangeEvent?) -> String {
        switch event {
        case .live: "live"
        case .change(let change): "\(change.kind) \(change.row?.id ?? change.id ?? "")"
        case .progress: "progress"
        case .interrupted(let error): "interrupted \(error.code)"
        case .reset: "reset"
        case nil: "end"
        }
    }

    @Test func otherValuesAreAReset() async throws {
        let tables = try await Tables()
        var feed = try await tables.feed("author in (select objectId from people where age > 25)")
        #expect(Self.word(await feed.next()) == "live")
        _ = try await tables.posts.commit(.create([try Shelf.draft(#"{"objectId":"6","author":"ann"}"#)]))
        #expect(Self.word(await feed.next()) == "created 6")
        // A change of the other table, and none of its values.
        _ = try await tables.people.commit(.update("ann", patch: Shelf.patch(#"{"age":35}"#)))
        _ = try await tables.people.commit(.update("bob", patch: Shelf.patch(#"{"age":26}"#)))
        #expect(Self.word(await feed.next()) == "reset")
        #expect(Self.word(await feed.next()) == "live")
        _ = try await tables.posts.commit(.create([try Shelf.draft(#"{"objectId":"7","author":"bob"}"#)]))
        #expect(Self.word(await feed.next()) == "created 7")
        _ = try await tables.people.commit(.delete("bob"))
        #expect(Self.word(await feed.next()) == "reset")
    }

    @Test func otherValuesOfAnInnerSubQueryAreAReset() async throws {
        let tables = try await Tables()
        var feed = try await tables.feed(
            "author in (select objectId from people where city in (select objectId from cities where size > 2))"
        )
        #expect(Self.word(await feed.next()) == "live")
        _ = try await tables.cities.commit(.update("oslo", patch: Shelf.patch(#"{"size":5}"#)))
        #expect(Self.word(await feed.next()) == "reset")
        #expect(Self.word(await feed.next()) == "live")
        _ = try await tables.posts.commit(.update("2", patch: Shelf.patch(#"{"code":5}"#)))
        #expect(Self.word(await feed.next()) == "updated 2")
    }

    /// Which of the two is first differs from time to time.
    @Test("Other values are a reset, however soon they come")
    func otherValuesAtOnce() async throws {
        let tables = try await Tables()
        for size in 0..<200 {
            let cities = "select objectId from cities where size = \(size)"
            var feed = try await tables.feed(
                "author in (select objectId from people where city in (\(cities)))"
            )
            _ = try await tables.cities.commit(.update("oslo", patch: Shelf.patch(#"{"size":\#(size)}"#)))
            var words: [String] = []
            while !words.contains("reset") { words.append(Self.word(await feed.next())) }
            #expect(words.count <= 2)
        }
    }

    @Test func whoComesBackMissesNothing() async throws {
        let tables = try await Tables()
        let clause = "author in (select objectId from people where city in (select objectId from cities))"
        _ = try await tables.posts.commit(.delete("5"))
        let revision = try #require(try await tables.posts.count(nil).revision)
        _ = try await tables.posts.commit(.update("2", patch: Shelf.patch(#"{"code":5}"#)))
        var feed = try await tables.feed(clause, since: revision)
        for word in ["live", "updated 2"] {
            let event = await feed.next()
            #expect(Self.word(event) == word)
        }
        // Afterwards the values may have been others, whatever they are now.
        _ = try await tables.cities.commit(.update("rome", patch: Shelf.patch(#"{"size":5}"#)))
        var later = try await tables.feed(clause, since: revision)
        for word in ["reset", "live"] {
            let event = await later.next()
            #expect(Self.word(event) == word)
        }
    }

    @Test func aTableThatIsNotThereYetIsFollowed() async throws {
        let store = try await SubQueryTests.store()
        let posts = try #require(try await store.table("posts", creating: false))
        let clause = try Where("author in (select objectId from later)")
        var feed = try await posts.subscribe(to: Query(clause), since: nil).makeAsyncIterator()
        #expect(Self.word(await feed.next()) == "live")
        let later = try #require(try await store.table("later", creating: true))
        _ = try await later.commit(.create([try Shelf.draft(#"{"objectId":"ann"}"#)]))
        #expect(Self.word(await feed.next()) == "reset")
        #expect(try await Shelf.ids(posts, clause) == ["1"])
    }

    @Test func valuesThatCannotBeReadAnyMoreEndTheFeedWithWhy() async throws {
        let tables = try await Tables()
        var feed = try await tables.feed("code in (select code from people)")
        #expect(Self.word(await feed.next()) == "live")
        let drafts = try (0...SubQueryTable.valueLimit).map {
            try Shelf.draft(#"{"objectId":\#($0),"code":\#($0)}"#)
        }
        _ = try await tables.people.commit(.create(drafts))
        let event = await feed.next()
        #expect(Self.word(event) == "interrupted too large", "\(event as Any)")
        #expect(Self.word(await feed.next()) == "end")
    }

    // MARK: Collections

    private struct Post: Codable, Identifiable, Sendable {
        var objectId: String?
        var author: String?
        var id: String? { objectId }
    }

    private func ids(_ posts: RemoteDataCollection<Post>) async throws -> [String] {
        var ids: [String] = []
        for try await post in posts.rows { ids.append(post.objectId ?? "") }
        return ids
    }

    @Test func aCollectionFollowsTheOtherTable() async throws {
        let tables = try await Tables()
        let posts = try await RemoteDataCollection<Post>(
            table: tables.posts,
            where: "author in (select objectId from people where age > 25)"
        )
        #expect(try await ids(posts) == ["1", "5"])
        var changes = posts.changes.makeAsyncIterator()
        try await posts.untilLive()
        _ = try await tables.people.commit(.update("bob", patch: Shelf.patch(#"{"age":26}"#)))
        while let change = await changes.next() {
            if change.type == .created {
                #expect(change.ids == ["2"])
                break
            }
        }
        #expect(try await ids(posts) == ["1", "2", "5"])
        _ = try await tables.people.commit(.delete("ann"))
        while let change = await changes.next(), change.type != .deleted {}
        #expect(try await ids(posts) == ["2", "5"])
    }

    @Test(arguments: [true, false]) func ownWritesAreSeenWhereTheyBelong(isLive: Bool) async throws {
        let tables = try await Tables()
        var options = CollectionOptions()
        options.isLive = isLive
        let posts = try await RemoteDataCollection<Post>(
            table: tables.posts,
            where: "author in (select objectId from people where age > 25)",
            options: options
        )
        #expect(try await ids(posts) == ["1", "5"])
        let stored = try await posts.add(contentsOf: [
            Post(objectId: "6", author: "ann"), Post(objectId: "7", author: "bob"),
        ])
        #expect(stored.stored.count == 2)
        #expect(try await ids(posts) == ["1", "5", "6"])
        try await posts.update(Post(objectId: "1", author: "bob"))
        #expect(try await ids(posts) == ["5", "6"])
        // One that is there and not in the collection is left alone.
        #expect(try await posts.remove(Post(objectId: "7", author: nil)) == false)
        #expect(try await posts.remove(Post(objectId: "5", author: nil)))
        #expect(try await ids(posts) == ["6"])
        #expect(try await posts.removeAll() == 1)
        #expect(try await ids(posts).isEmpty)
        #expect(posts.isEmpty)
        #expect(try await Shelf.ids(tables.posts) == ["1", "2", "3", "4", "7"])
        let error = await refusal { () throws(RemoteDataError) in
            try posts.loadedRows(where: "author in (select objectId from people)")
        }
        #expect(error?.code == .invalidClause)
    }
}
