import RemoteData
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AccessEventsTests {
    /// The changes of a feed up to a revision.
    private func changes(_ feed: ChangeFeed, upTo revision: Revision?) async -> [Change] {
        var changes: [Change] = []
        for await event in feed {
            switch event {
            case .change(let change):
                changes.append(change)
                if change.revision == revision { return changes }
            case .progress(let reached): if reached == revision { return changes }
            case .live, .reset, .interrupted: break
            }
        }
        return changes
    }

    @Test func aRowThatIsWithdrawnIsDeletedLikeAnyOther() async throws {
        for shelf in [try await Shelf(), try await Shelf.plain()] {
            let bobs = try await shelf.bob.subscribe(to: Query(), since: nil)
            let anns = try await shelf.ann.subscribe(to: Query(), since: nil)
            let clause = Where.comparison(.column("n"), .equal, .literal(1))
            let ones = try await shelf.bob.subscribe(to: Query(clause), since: nil)
            _ = try await shelf.ann.commit(
                .update("shared", patch: Shelf.patch(#"{"ACL":{"ann":{"read":true,"write":true}}}"#))
            )
            _ = try await shelf.ann.commit(.update("shared", patch: Shelf.patch(#"{"n":3}"#)))
            let end = try await shelf.put("seen", #"{"*":{"read":true}}"#, #""n":2"#).revision
            #expect(await changes(anns, upTo: end).map(\.kind) == [.updated, .updated, .updated])
            let seen = await changes(bobs, upTo: end)
            #expect(seen.map(\.kind) == [.deleted, .updated])
            #expect(seen.map(\.left) == [false, false])
            #expect(seen.map(\.id) == ["shared", "seen"])
            // One that only leaves the clause is still there.
            let left = await changes(ones, upTo: end)
            #expect(left.map(\.id) == ["shared", "seen"])
            #expect(left.map(\.left) == [false, true])
        }
    }

    @Test func aRowThatIsGrantedIsCreated() async throws {
        for shelf in [try await Shelf(), try await Shelf.plain()] {
            let feed = try await shelf.bob.subscribe(to: Query(), since: nil)
            let grant = Shelf.patch(#"{"ACL":{"role:editors":{"read":true}}}"#)
            let end = try await shelf.ann.commit(.update("secret", patch: grant)).revision
            let seen = await changes(feed, upTo: end)
            #expect(seen.map(\.kind) == [.created])
            #expect(seen.first?.row?.id == "secret")
        }
    }

    @Test func aRemovalByClauseTellsNothingOfRowsThatMayNotBeSeen() async throws {
        let shelf = try await Shelf()
        let start = try await shelf.put(
            "seen",
            #"{"*":{"read":true},"ann":{"write":true}}"#,
            #""code":"xyzzy""#
        ).revision
        try await shelf.put("other", #"{"ann":{"read":true,"write":true}}"#, #""code":"xyzzy""#)
        let bobs = try await shelf.bob.subscribe(to: Query(), since: nil)
        let nobodys = try await shelf.nobody.subscribe(to: Query(.isNull(.column("code"))), since: nil)
        let anns = try await shelf.ann.subscribe(to: Query(), since: nil)
        let clause = try Where("code = 'xyzzy'")
        let end = try await shelf.ann.commit(.deleteAll(clause), idempotencyKey: "k").revision
        let told = await changes(bobs, upTo: end)
        #expect(told.map(\.kind) == [.bulkDeleted])
        #expect(told.first?.predicate == .isIn(.column("objectId"), [.literal("seen")]))
        #expect(told.first?.count == 1)
        #expect(told.first?.idempotencyKey == nil)
        #expect(await changes(nobodys, upTo: end).isEmpty)
        // Who asked for it hears it in the same words.
        let own = await changes(anns, upTo: end)
        #expect(own.first?.predicate == clause)
        #expect(own.first?.count == 2)
        #expect(own.first?.idempotencyKey == "k")
        let later = try await shelf.bob.changes(since: start ?? .zero, limit: 10).changes
        #expect(later.map(\.predicate) == told.map(\.predicate))
    }

    @Test func theWordsOfARemovalAreNotToldWhereTheySayMoreThanIsSo() async throws {
        let shelf = try await Shelf()
        try await shelf.put("bobs", #"{"bob":{"read":true,"write":true}}"#)
        let feed = try await shelf.bob.subscribe(to: Query(), since: nil)
        let end = try await shelf.bob.commit(.deleteAll(nil)).revision
        let told = await changes(feed, upTo: end)
        #expect(told.map(\.predicate) == [.isIn(.column("objectId"), [.literal("bobs")])])
        #expect(try await Shelf.ids(shelf.bob) == ["seen", "shared"])
    }

    @Test func ofARemovalOfVeryManyRowsItIsToldThatSomethingWasMissed() async throws {
        let shelf = try await Shelf()
        let drafts = try (0...1_000).map { try Shelf.draft(#"{"objectId":"r\#($0)","m":1}"#) }
        let start = try await shelf.ann.commit(.create(drafts)).revision ?? .zero
        let bobs = try await shelf.bob.subscribe(to: Query(), since: nil)
        let anns = try await shelf.ann.subscribe(to: Query(), since: nil)
        let clause = try Where("m = 1")
        let end = try await shelf.ann.commit(.deleteAll(clause)).revision
        var events: [ChangeEvent] = []
        for await event in bobs {
            events.append(event)
            if case .live(end) = event { break }
            if case .change(let change) = event, change.revision == end { break }
        }
        #expect(events.contains { if case .reset = $0 { true } else { false } })
        #expect(await changes(anns, upTo: end).map(\.predicate) == [clause])
        let error = await refusal { () throws(RemoteDataError) in
            try await shelf.bob.changes(since: start, limit: 10)
        }
        #expect(error?.code == .gone)
    }

    @Test func whatTheLogTellsIsWhatMayBeSeen() async throws {
        let shelf = try await Shelf()
        let start = try await shelf.bob.count(nil).revision ?? .zero
        _ = try await shelf.ann.commit(.update("secret", patch: Shelf.patch(#"{"n":2}"#)))
        _ = try await shelf.ann.commit(
            .update("secret", patch: Shelf.patch(#"{"ACL":{"*":{"read":true},"ann":{"write":true}}}"#))
        )
        _ = try await shelf.ann.commit(
            .update("secret", patch: Shelf.patch(#"{"ACL":{"ann":{"read":true,"write":true}}}"#))
        )
        let end = try await shelf.ann.commit(.delete("secret")).revision
        let batch = try await shelf.bob.changes(since: start, limit: 10)
        #expect(batch.changes.map(\.kind) == [.created, .deleted])
        #expect(batch.changes.map(\.left) == [false, false])
        #expect(batch.revision == end)
        let feed = try await shelf.bob.subscribe(to: Query(), since: start)
        #expect(await changes(feed, upTo: end).map(\.kind) == [.created, .deleted])
    }

    @Test func aFeedGoesOnWithTheRolesOfTheDay() async throws {
        let shelf = try await Shelf()
        try await shelf.put("edited", #"{"role:editors":{"read":true,"write":true}}"#)
        let roles = Watched<[String]>(["editors"])
        let table = AccessTable(
            shelf.base,
            AccessControl { () throws(RemoteDataError) in try AccessUser("eve", roles: roles.value) }
        )
        let feed = try await table.subscribe(to: Query(), since: nil)
        var iterator = feed.makeAsyncIterator()
        _ = await iterator.next()
        _ = try await shelf.base.commit(.update("edited", patch: Shelf.patch(#"{"n":2}"#)))
        guard case .change(let change)? = await iterator.next() else {
            Issue.record("no change while the role is there")
            return
        }
        #expect(change.id == "edited")
        roles.change { $0 = [] }
        _ = try await shelf.base.commit(.update("edited", patch: Shelf.patch(#"{"n":3}"#)))
        guard case .reset? = await iterator.next(), case .live? = await iterator.next() else {
            Issue.record("no reset when the role is gone")
            return
        }
        let end = try await shelf.put("seen", #"{"*":{"read":true}}"#, #""n":4"#).revision
        while let event = await iterator.next() {
            if case .change(let change) = event {
                #expect(change.id == "seen")
                if change.revision == end { break }
            }
        }
    }

    @Test func aFeedEndsWhenNobodyKnowsWhoListens() async throws {
        let shelf = try await Shelf()
        let isKnown = Watched(true)
        let table = AccessTable(
            shelf.base,
            AccessControl { () throws(RemoteDataError) in
                guard isKnown.value else { throw RemoteDataError(.unauthorized, "Signed out.") }
                return try AccessUser("ann")
            }
        )
        let feed = try await table.subscribe(to: Query(), since: nil)
        isKnown.change { $0 = false }
        try await shelf.put("secret", nil)
        var last: ChangeEvent?
        for await event in feed { last = event }
        guard case .interrupted(let error) = last else {
            Issue.record("it ends with \(String(describing: last))")
            return
        }
        #expect(error.code == .unauthorized)
    }

    @Test func keysAreEachUsersOwn() async throws {
        let shelf = try await Shelf()
        let feed = try await shelf.ann.subscribe(to: Query(), since: nil)
        let others = try await shelf.nobody.subscribe(to: Query(), since: nil)
        let draft = try Shelf.draft(#"{"m":1}"#)
        let first = try await shelf.ann.commit(.create([draft]), idempotencyKey: "k")
        let other = try await shelf.bob.commit(.create([draft]), idempotencyKey: "k")
        let admins = try await shelf.base.commit(.create([draft]), idempotencyKey: "k")
        #expect(Set([first.ids, other.ids, admins.ids]).count == 3)
        #expect(try await shelf.ann.commit(.create([draft]), idempotencyKey: "k") == first)
        #expect(await changes(feed, upTo: admins.revision).map(\.idempotencyKey) == ["k", nil, nil])
        #expect(await changes(others, upTo: admins.revision).map(\.idempotencyKey) == [nil, nil, nil])
        let long = String(repeating: "k", count: 200)
        #expect(try await shelf.ann.commit(.create([draft]), idempotencyKey: long).count == 1)
        let error = await refusal { () throws(RemoteDataError) in
            try await shelf.ann.commit(.create([draft]), idempotencyKey: long + "k")
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func namesThatBeginAlikeDoNotShareKeys() async throws {
        let base = MemoryTable("t")
        func commit(_ id: String, _ key: String) async throws -> [RowID] {
            let table = AccessTable(base, user: try AccessUser(id))
            return try await table.commit(.create([Shelf.draft("{}")]), idempotencyKey: key).ids
        }
        #expect(try await commit("a", "bc") != commit("ab", "c"))
        #expect(try await commit("1:a", "k") != commit("a", "1:ak"))
    }

    @Test func nobodyGetsTheAnswerOfNobodyElse() async throws {
        let shelf = try await Shelf()
        let first = try Shelf.draft(#"{"text":"mine","ACL":{"ann":{"read":true}}}"#)
        let made = try await shelf.nobody.commit(.create([first]), idempotencyKey: "k")
        #expect(try await shelf.nobody.commit(.create([first]), idempotencyKey: "k") == made)
        let other = try await shelf.nobody.commit(
            .create([Shelf.draft(#"{"text":"x"}"#)]),
            idempotencyKey: "k"
        )
        #expect(other.ids != made.ids)
        #expect(other.rows.first?["text"] == "x")
    }
}
