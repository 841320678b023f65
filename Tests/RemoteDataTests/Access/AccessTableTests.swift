import RemoteData
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AccessTableTests {
    @Test func readsShowWhatMayBeReadAlone() async throws {
        for shelf in [try await Shelf(), try await Shelf.plain()] {
            #expect(try await Shelf.ids(shelf.ann) == ["secret", "seen", "shared"])
            #expect(try await Shelf.ids(shelf.bob) == ["seen", "shared"])
            #expect(try await Shelf.ids(shelf.nobody) == ["seen"])
            #expect(try await shelf.bob.count(nil).value == 2)
            #expect(try await shelf.bob.row("secret") == nil)
            #expect(try await shelf.bob.row("shared")?.id == "shared")
            #expect(try await Shelf.ids(shelf.ann.ignoringACLs()) == ["secret", "seen", "shared"])
        }
    }

    @Test func aRowThatMayNotBeReadIsToldOfLikeOneThatIsNotThere() async throws {
        for shelf in [try await Shelf(), try await Shelf.plain()] {
            for mutation in [Mutation.update("secret", patch: Shelf.patch("{}")), .delete("secret")] {
                let error = await refusal { () throws(RemoteDataError) in try await shelf.bob.commit(mutation)
                }
                #expect(error?.code == .notFound)
                #expect(error?.message == "There is no row with the id secret.")
            }
            let absent = await refusal { () throws(RemoteDataError) in
                try await shelf.bob.commit(.delete("absent"))
            }
            #expect(absent?.message == "There is no row with the id absent.")
        }
    }

    @Test func aRowThatMayBeReadAloneIsForbiddenByItsID() async throws {
        for shelf in [try await Shelf(), try await Shelf.plain()] {
            let row = try await shelf.base.row("shared")
            for mutation in [
                Mutation.update("shared", patch: Shelf.patch(#"{"ACL":null}"#)), .delete("shared"),
                .upsert([try Shelf.draft(#"{"objectId":"shared"}"#)]),
            ] {
                let error = await refusal { () throws(RemoteDataError) in try await shelf.bob.commit(mutation)
                }
                #expect(error?.code == .forbidden)
                #expect(error?.message == "The row shared may not be written by who asks.")
            }
            let hidden = try Shelf.draft(#"{"objectId":"secret"}"#)
            let error = await refusal { () throws(RemoteDataError) in
                try await shelf.bob.commit(.upsert([hidden]))
            }
            #expect(error?.message == "The row secret may not be written by who asks.")
            #expect(try await shelf.base.row("shared") == row)
        }
    }

    @Test func aRowThatMayBeWrittenAndNotReadIsNotThere() async throws {
        let shelf = try await Shelf()
        try await shelf.put("blind", #"{"bob":{"write":true}}"#)
        let error = await refusal { () throws(RemoteDataError) in try await shelf.bob.commit(.delete("blind"))
        }
        #expect(error?.code == .notFound)
        #expect(try await shelf.bob.commit(.deleteAll(nil)).count == 0)
    }

    @Test func writesByClauseConcernWhatMayBeWrittenAlone() async throws {
        for shelf in [try await Shelf(), try await Shelf.plain()] {
            try await shelf.put("bobs", #"{"role:editors":{"read":true,"write":true}}"#)
            let patch = Shelf.patch(#"{"n":2}"#)
            #expect(try await shelf.bob.commit(.updateAll(nil, patch: patch)).count == 1)
            let isTwo = Where.comparison(.column("n"), .equal, .literal(2))
            #expect(try await Shelf.ids(shelf.base, isTwo) == ["bobs"])
            #expect(try await shelf.bob.commit(.deleteAll(nil)).count == 1)
            #expect(try await Shelf.ids(shelf.base) == ["secret", "seen", "shared"])
        }
    }

    @Test func newRowsGetTheDefaultWhenItIsKnownWhoMakesThem() async throws {
        for (acl, expected) in [
            (DefaultACL.private, try ACL.private(to: "ann")), (.none, nil),
            (.publicRead, try ACL.public().allowing(.user("ann"), .all)),
            (DefaultACL(.public(read: true, write: true), andUser: false), .public(read: true, write: true)),
        ] as [(DefaultACL, ACL?)] {
            for base in [MemoryTable("t"), LimitedTable(MemoryTable("t"), to: .full)] as [any Table] {
                let shelf = try await Shelf(base, newRows: acl)
                let drafts = try [
                    #"{"objectId":"a"}"#, #"{"objectId":"b","ACL":null}"#, #"{"objectId":"c","ACL":{}}"#,
                ]
                .map(Shelf.draft)
                let outcome = try await shelf.ann.commit(.create(drafts))
                #expect(outcome.rows.map(\.acl) == [expected, expected, ACL()])
                let upserted = try await shelf.ann.commit(.upsert([Shelf.draft(#"{"objectId":"d"}"#)]))
                #expect(upserted.rows.map(\.acl) == [expected])
                let nobodys = try await shelf.nobody.commit(.create([Shelf.draft(#"{"objectId":"e"}"#)]))
                #expect(nobodys.rows.map(\.acl) == [nil])
            }
        }
    }

    @Test func aReplacementWithoutAnACLKeepsTheOneThatWasThere() async throws {
        for base in [MemoryTable("t"), LimitedTable(MemoryTable("t"), to: .full)] as [any Table] {
            let shelf = try await Shelf(base, newRows: .private)
            let before = try await base.row("shared")?.acl
            let row = try await shelf.ann.commit(.upsert([Shelf.draft(#"{"objectId":"shared","m":2}"#)])).rows
                .first
            #expect(row?.acl == before)
            #expect(row?["n"] == .null)
            #expect(row?["m"] == 2)
            try await shelf.put("public", nil)
            #expect(
                try await shelf.bob.commit(.upsert([Shelf.draft(#"{"objectId":"public"}"#)])).rows.first?.acl
                    == nil
            )
        }
    }

    @Test(arguments: [
        "7", #""x""#, "[]", #"{"*":true}"#, #"{"*":{"read":1}}"#, #"{"ann":{"read":true},"ann":{}}"#,
    ])
    func anOddACLIsRefused(acl: String) async throws {
        let shelf = try await Shelf()
        let json = #"{"objectId":"x","ACL":\#(acl)}"#
        let patch = Shelf.patch(#"{"ACL":\#(acl)}"#)
        for mutation in [
            Mutation.create([try Shelf.draft(json)]), .upsert([try Shelf.draft(json)]),
            .update("seen", patch: patch),
            .updateAll(nil, patch: patch),
        ] {
            let error = await refusal { () throws(RemoteDataError) in try await shelf.ann.commit(mutation) }
            #expect(error?.code == .invalidRow)
            #expect(error?.message.contains("ACL") == true)
        }
        let twice = Shelf.patch(#"{"ACL":{"ann":{"read":true}},"ACL":null}"#)
        let error = await refusal { () throws(RemoteDataError) in
            try await shelf.ann.commit(.update("seen", patch: twice))
        }
        #expect(error?.code == .invalidRow)
    }

    @Test func aNameOfAnyCharactersIsOneUser() async throws {
        let shelf = try await Shelf()
        for id in ["a.b", "o'brien", #"say "hi""#, "a\"} or 1=1 --", "日本 👩‍👩‍👧", "\u{0}x", "*.read", "ACL"] {
            let user = try AccessUser(id)
            let table = AccessTable(shelf.base, user: user, newRows: .private)
            let outcome = try await table.commit(.create([Shelf.draft("{}")]))
            #expect(try await Shelf.ids(table) == outcome.ids + ["seen"])
            #expect(try await table.row(outcome.ids[0]) != nil)
            let shown = try await shelf.bob.count(nil).value
            #expect(shown == 2)
            _ = try await table.commit(.delete(outcome.ids[0]))
        }
    }

    @Test func rolesAreAskedForAtEachCall() async throws {
        let shelf = try await Shelf()
        try await shelf.put("edited", #"{"role:editors":{"read":true,"write":true}}"#)
        let roles = Watched<[String]>([])
        let table = AccessTable(
            shelf.base,
            AccessControl { () throws(RemoteDataError) in try AccessUser("eve", roles: roles.value) }
        )
        #expect(try await Shelf.ids(table) == ["seen"])
        roles.change { $0 = ["readers", "editors"] }
        #expect(try await Shelf.ids(table) == ["edited", "seen"])
        roles.change { $0 = [] }
        let error = await refusal { () throws(RemoteDataError) in try await table.commit(.delete("edited")) }
        #expect(error?.code == .notFound)
    }

    @Test func columnsOfOtherRowsAreNotTold() async throws {
        let shelf = try await Shelf()
        try await shelf.put("more", #"{"ann":{"read":true}}"#, #""salary":1"#)
        for name in ["salary", "salry", "nothing"] {
            let query = Query(
                .comparison(.column(ColumnPath(name)), .equal, .literal(1)),
                sort: [SortTerm(ColumnPath(name))]
            )
            #expect(try await shelf.bob.page(PageRequest(query)).rows.isEmpty)
            #expect(try await shelf.bob.count(query).value == 0)
            #expect(try await shelf.bob.commit(.deleteAll(query.filter)).count == 0)
        }
        #expect(!shelf.bob.capabilities.checksColumns)
        #expect(try await shelf.base.count(Where("ACL.unheard.read = true")).value == 0)
    }

    @Test func namesInACLsAreNoColumns() {
        var columns = ColumnSet()
        columns.insert(columnsOf: Shelf.patch(#"{"a":{"ACL":{"b":1}},"ACL":{"ann":{"read":true}}}"#))
        #expect(columns.paths.map(\.description) == ["a", "a.ACL", "a.ACL.b", "ACL"])
    }

    @Test(arguments: [false, true])
    func noWriteGetsInBetweenACheckAndWhatItAllows(isPlain: Bool) async throws {
        let log = MemoryTable("t")
        let shelf = try await Shelf(isPlain ? LimitedTable(log, to: .full) : log)
        for round in 0..<30 {
            let open = #"{"*":{"read":true},"bob":{"write":true}}"#
            let start = try await shelf.put("r", open, #""n":0"#).revision ?? .zero
            await withTaskGroup(of: Void.self) { group in
                for writer in 1...4 {
                    group.addTask {
                        _ = try? await shelf.bob.commit(.update("r", patch: Shelf.patch("{\"n\":\(writer)}")))
                    }
                }
                group.addTask {
                    let closed = Shelf.patch(#"{"ACL":{"*":{"read":true}}}"#)
                    _ = try? await shelf.base.commit(.update("r", patch: closed))
                }
            }
            let changes = try await log.changes(since: start, limit: 100).changes
            let closed = changes.firstIndex { $0.row?.acl == .public() } ?? changes.endIndex
            #expect(changes[closed...].count == 1, "round \(round)")
        }
    }
}
