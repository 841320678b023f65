import RemoteData
import RemoteDataTesting
import Synchronization
import Testing

/// Clauses about rows of other tables, answered by a store.
@Suite(.timeLimit(.minutes(1))) struct SubQueryTests {
    /// Posts with authors, who have cities.
    static func store(_ store: some TableStore = MemoryTableStore()) async throws -> any TableStore {
        // The posts last, so that whoever opens them misses nothing of the others.
        let tables = [
            (
                "people",
                [
                    #"{"objectId":"ann","age":30,"city":"rome","code":1}"#,
                    #"{"objectId":"bob","age":20,"city":"oslo","code":2.0}"#,
                    #"{"objectId":"cid","age":40,"city":null,"code":null,"list":[1]}"#,
                ]
            ),
            ("cities", [#"{"objectId":"rome","size":3}"#, #"{"objectId":"oslo","size":1}"#]),
            (
                "posts",
                [
                    #"{"objectId":"1","author":"ann","code":1.0}"#,
                    #"{"objectId":"2","author":"bob","code":2}"#,
                    #"{"objectId":"3","author":"dan","code":9}"#,
                    #"{"objectId":"4","author":null,"code":null}"#,
                    #"{"objectId":"5","author":"cid"}"#,
                ]
            ),
        ]
        for (name, rows) in tables {
            let table = try #require(try await store.table(name, creating: true))
            _ = try await table.commit(.create(try rows.map(Shelf.draft)))
        }
        return store
    }

    @Test(arguments: [
        ("author in (select objectId from people)", "125"),
        ("author in (select objectId from people where age > 25)", "15"),
        ("author not in (select objectId from people where age > 25)", "23"),
        ("not author in (select objectId from people where age > 25)", "23"),
        ("author in (select objectId from people) and objectId > '1'", "25"),
        ("author in (select objectId from people where age = 20) or objectId = '4'", "24"),
        // Numbers are the same however they are written.
        ("code in (select code from people)", "12"),
        ("code not in (select code from people)", "3"),
        ("'ann' in (select objectId from people) and objectId = '3'", "3"),
        // No value: nothing is in it, not even null.
        ("author in (select objectId from nobody)", ""),
        ("author not in (select objectId from nobody)", "12345"),
        ("author in (select city from people where age = 40)", ""),
        ("author not in (select list from people)", "1235"),
        // One in another, and two side by side.
        (
            "author in (select objectId from people where city in (select objectId from cities where size > 2))",
            "1"
        ),
        ("author in (select objectId from people where city not in (select objectId from cities))", ""),
        (
            "author in (select objectId from people where age < 25) or author in (select objectId from people where age > 35)",
            "25"
        ),
        // Words of a sub-query are names of columns elsewhere.
        ("objectId in (\"select\")", ""),
    ])
    func findTheRowsOfSQL(clause: String, expected: String) async throws {
        let store = try await Self.store()
        let posts = try #require(try await store.table("posts", creating: false))
        // Columns of those names, so that they are no mistake.
        _ = try await posts.commit(.update("3", patch: Shelf.patch(#"{"select":null}"#)))
        let clause = try Where(clause)
        let ids = expected.map { RowID.text(String($0)) }
        #expect(try await Shelf.ids(posts, clause) == ids)
        #expect(try await posts.count(clause).value == ids.count)
    }

    @Test func mistakesAreNamed() async throws {
        let store = try await Self.store()
        let posts = try #require(try await store.table("posts", creating: false))
        let mistakes: [(String, RemoteDataError.Code, String)] = [
            ("author in (select objectIdd from people)", .unknownColumn, "objectIdd in people"),
            ("author in (select objectId from people where agee > 1)", .unknownColumn, "agee in people"),
            ("autor in (select objectId from people)", .unknownColumn, "autor in posts"),
            (
                Array(repeating: "author in (select objectId from people)", count: 21)
                    .joined(separator: " or "), .invalidClause, "21 sub-queries"
            ),
        ]
        for (clause, code, message) in mistakes {
            let clause = try Where(clause)
            let error = await refusal { () async throws(RemoteDataError) in try await posts.count(clause) }
            #expect(error?.code == code && error?.message.contains(message) == true, "\(error as Any)")
        }
        let lone = MemoryTable("lone")
        let clause = try Where("a in (select b from people)")
        let (patch, query) = (Shelf.patch(#"{"a":1}"#), Query(clause))
        for error in [
            await refusal { () async throws(RemoteDataError) in try await lone.count(clause) },
            await refusal { () async throws(RemoteDataError) in try await lone.page(PageRequest(query)) },
            await refusal { () async throws(RemoteDataError) in
                try await lone.subscribe(to: query, since: nil)
            },
            await refusal { () async throws(RemoteDataError) in try await lone.commit(.deleteAll(clause)) },
            await refusal { () async throws(RemoteDataError) in
                try await lone.commit(.updateAll(clause, patch: patch))
            },
        ] {
            #expect(error?.code == .invalidClause && error?.message.contains("lone") == true)
        }
    }

    @Test func moreValuesThanAPageAndThanTheLimit() async throws {
        let store = MemoryTableStore()
        let (numbers, rows) = (
            try #require(try await store.table("numbers", creating: true)),
            try #require(try await store.table("rows", creating: true))
        )
        func put(_ numbers: Range<Int>, in table: any Table) async throws {
            let drafts = try numbers.map { try Shelf.draft(#"{"objectId":\#($0),"n":\#($0)}"#) }
            _ = try await table.commit(.create(drafts))
        }
        try await put(0..<2_500, in: numbers)
        try await put(2_000..<3_000, in: rows)
        let clause = try Where("n in (select n from numbers)")
        #expect(try await rows.count(clause).value == 500)
        // The limit is one for all sub-queries of a clause.
        let half = try Where("n in (select n from numbers) and n in (select objectId from numbers)")
        #expect(try await rows.count(half).value == 500)
        try await put(2_500..<(SubQueryTable.valueLimit / 2 + 1), in: numbers)
        let halves = await refusal { () async throws(RemoteDataError) in try await rows.count(half) }
        #expect(halves?.code == .tooLarge)
        try await put((SubQueryTable.valueLimit / 2 + 1)..<(SubQueryTable.valueLimit + 1), in: numbers)
        let error = await refusal { () async throws(RemoteDataError) in try await rows.count(clause) }
        #expect(error?.code == .tooLarge && error?.message.contains("100000 values") == true)
    }

    @Test func writesByClauseChangeTheRowsOfTheMoment() async throws {
        let store = try await Self.store()
        let posts = try #require(try await store.table("posts", creating: false))
        let clause = try Where("author in (select objectId from people where age > 25)")
        let outcome = try await posts.commit(.updateAll(clause, patch: Shelf.patch(#"{"code":7}"#)))
        #expect(outcome.count == 2)
        #expect(try await Shelf.ids(posts, try Where("code = 7")) == ["1", "5"])
        #expect(try await posts.commit(.deleteAll(clause)).count == 2)
        #expect(try await Shelf.ids(posts) == ["2", "3", "4"])
    }

    /// Whoever follows the table, or resumes from its log, has to read the clause.
    @Test func aRemovalThatCouldNotBeToldIsRefused() async throws {
        let store = try await Self.store()
        let posts = try #require(try await store.table("posts", creating: false))
        let people = try #require(try await store.table("people", creating: false))
        let name = String(repeating: "x", count: 300_000)
        let drafts = try (0..<4).map { try Shelf.draft(#"{"objectId":"\#($0)","name":"\#($0)\#(name)"}"#) }
        _ = try await people.commit(.create(drafts))
        let clause = try Where("author in (select name from people)")
        #expect(try await posts.count(clause).value == 0)
        let error = await refusal { () async throws(RemoteDataError) in
            try await posts.commit(.deleteAll(clause))
        }
        #expect(error?.code == .tooLarge)
    }

    // MARK: Rights

    @Test func rowsThatMayNotBeReadHaveNoValues() async throws {
        let store = MemoryTableStore()
        let (people, posts) = (
            try #require(try await store.table("people", creating: true)),
            try #require(try await store.table("posts", creating: true))
        )
        let acl = #""ACL":{"ann":{"read":true}}"#
        _ = try await people.commit(
            .create([
                try Shelf.draft(#"{"objectId":"x","secret":1,\#(acl)}"#),
                try Shelf.draft(#"{"objectId":"y","secret":1}"#),
            ])
        )
        _ = try await posts.commit(
            .create(try ["x", "y"].map { try Shelf.draft(#"{"objectId":"\#($0)"}"#) })
        )
        let clause = try Where("objectId in (select objectId from people where secret = 1)")
        let nested = try Where("objectId in (select objectId from posts where \(clause))")
        for (user, ids) in [("ann", ["x", "y"] as [RowID]), ("bob", ["y"])] {
            let table = AccessTable(posts, user: try AccessUser(user))
            #expect(try await Shelf.ids(table, clause) == ids)
            #expect(try await Shelf.ids(table, nested) == ids)
            #expect(try await table.count(clause).value == ids.count)
        }
    }

    @Test func nothingIsLookedUpForAPageThatIsNotWrittenAsText() async throws {
        let store = try await Self.store()
        let people = try #require(try await store.table("people", creating: false))
        let posts = FaultyTable(try #require(try await store.table("posts", creating: false)))
        let lookUps = Mutex(0)
        let lookUp: SubQueryTable.LookUp = { _, _ in
            lookUps.withLock { $0 += 1 }
            return people
        }
        let query = Query(try Where("author in (select objectId from people where age > 25)"))
        let table = SubQueryTable(SubQueryTable(posts, lookUp: lookUp), lookUp: lookUp)
        #expect(try await table.pageText(PageRequest(query, limit: 10), fitting: 1_000)?.count == nil)
        #expect(lookUps.withLock { $0 } == 0)
        let writing = SubQueryTable(MemoryTable("posts"), lookUp: lookUp)
        #expect(try await writing.pageText(PageRequest(query, limit: 10), fitting: 1_000)?.count == 0)
        #expect(lookUps.withLock { $0 } > 0)
    }
}
