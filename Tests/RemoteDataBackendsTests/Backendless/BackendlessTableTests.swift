import RemoteData
import RemoteDataNetwork
import Synchronization
import Testing

@testable import RemoteDataBackends

/// What is sent, and what becomes of answers.
@Suite(.timeLimit(.minutes(1))) struct BackendlessTableTests {
    private func table(
        _ transport: StubTransport,
        _ comparison: BackendlessTextComparison = .byBytes,
        _ configuration: RESTConfiguration = RESTConfiguration()
    ) throws -> BackendlessTable {
        var configuration = configuration
        configuration.attempts = 1
        return try BackendlessServer(
            "https://api.example.com/APP/KEY",
            as: nil,
            comparesText: comparison,
            configuration: configuration,
            transport: transport,
            sockets: FakeSockets()
        ).table("Person")
    }

    private func sent(_ transport: StubTransport) -> [String] {
        transport.sent.map { request in
            let path = request.url.replacing("https://api.example.com/APP/KEY/", with: "")
            return "\(request.method) \(path)"
                + (request.body.map { " " + String(decoding: $0, as: UTF8.self) } ?? "")
        }
    }

    private func draft(_ json: String) throws -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "objectId")
    }

    private func patch(_ json: String) -> ArraySlice<UInt8> { Array(json.utf8)[...] }

    // MARK: Reading

    @Test func rowsAreFoundByGetAndByPostWhenTheQueryIsLong() async throws {
        let transport = StubTransport(.json(#"[{"objectId":"a","n":1}]"#))
        let table = try table(transport)
        let query = Query(try Where("n > 1"), sort: try SortTerm.parse("n desc"))
        #expect(try await table.page(PageRequest(query, limit: 5)).rows.map(\.id) == ["a"])
        let text = String(repeating: "x", count: 2_000)
        _ = try await table.page(PageRequest(Query(try Where("s = '\(text)'")), limit: 5))
        #expect(
            sent(transport) == [
                "GET data/Person?where=n%20%3E%201%20AND%20n%20IS%20NOT%20NULL&sortBy=n%20desc%2CobjectId&pageSize=5&offset=0",
                "GET data/Person?where=n%20%3E%201%20AND%20n%20IS%20NULL&sortBy=objectId&pageSize=4&offset=0",
                #"POST data/Person/find {"where":"s = '\#(text)'","sortBy":"objectId","pageSize":5,"offset":0}"#,
            ]
        )
        #expect(transport.sent.allSatisfy { $0.isRead })
    }

    @Test func countsOfClausesThatCannotBeAskedAreNotExact() async throws {
        let transport = StubTransport(.json("7"))
        #expect(try await table(transport).count(Query(try Where("s = 'x'"))) == Count(7))
        let collated = try table(transport, .byCollation)
        #expect(try await collated.count(Query(try Where("s = 'x'"))) == Count(7, isExact: false))
        #expect(try await collated.count(Query(try Where("n = 1"))) == Count(7))
        #expect(sent(transport).first == "GET data/Person/count?where=s%20%3D%20%27x%27")
    }

    @Test func aRowIsReadByItsID() async throws {
        let id: RowID = "0B65B0F6-0AC8-4C72-B6E1-6E8E5B2C7D10"
        let transport = StubTransport(.json(#"{"objectId":"\#(id)"}"#))
        #expect(try await table(transport).row(id)?.id == id)
        #expect(sent(transport) == ["GET data/Person/\(id)"])
    }

    @Test func anIDThatMayBeAWordOfTheProtocolIsFoundByClause() async throws {
        let transport = StubTransport(.json(#"[{"objectId":"count"}]"#))
        #expect(try await table(transport).row("count")?.id == "count")
        #expect(sent(transport) == ["GET data/Person?where=objectId%20%3D%20%27count%27&pageSize=1&offset=0"])
    }

    @Test func aRowThatIsNotThereIsNil() async throws {
        let missing = HTTPResponse.json(#"{"code":1000,"message":"Entity with ID A not found"}"#, status: 404)
        #expect(try await table(StubTransport(missing)).row("A") == nil)
        // A server may take capital letters for small ones.
        #expect(try await table(StubTransport(.json(#"[{"objectId":"A"}]"#))).row("a") == nil)
        #expect(try await table(StubTransport(missing)).row(7) == nil)
    }

    @Test func missingTablesAreEmptyWhereThatIsWanted() async throws {
        let missing = HTTPResponse.json(
            #"{"code":1009,"message":"Table not found by name 'Person'"}"#,
            status: 404
        )
        let strict = try table(StubTransport(missing))
        let error = await failure { () async throws(RemoteDataError) in try await strict.count(Query()) }
        #expect(error?.code == .notFound)
        #expect(
            error?.message
                == "Backendless refuses a count of Person (status 404, code 1009): Table not found by name 'Person'."
        )
        var configuration = RESTConfiguration()
        configuration.treatsMissingTablesAsEmpty = true
        let lenient = try table(StubTransport(missing), .byBytes, configuration)
        #expect(try await lenient.count(Query()) == Count(0))
        #expect(try await lenient.page(PageRequest(Query())).rows == [])
        #expect(try await lenient.row("A") == nil)
        #expect(try await lenient.commit(.deleteAll(nil)).count == 0)
        let refused = await failure { () async throws(RemoteDataError) in
            try await lenient.commit(.delete("A"))
        }
        #expect(refused?.code == .notFound)
    }

    // MARK: Refusals

    @Test(arguments: [
        (1017, "Invalid where clause", RemoteDataError.Code.invalidClause),
        (1017, "Column 'x' does not exist in table 'Person'", .unknownColumn),
        (1155, "Duplicate", .alreadyExists),
        (3064, "Not existing user token", .unauthorized), (3023, "User is not logged in", .unauthorized),
        (3003, "Invalid login or password", .unauthorized), (429, "Slow down", .rateLimited),
        (503, "Busy", .unavailable),
        (8_999, "Something else", .invalidRequest),
    ])
    func refusalsInASuccessAreRefusals(code: Int, message: String, kind: RemoteDataError.Code) async throws {
        let transport = StubTransport(.json(#"{"code":\#(code),"message":"\#(message)","errorData":{}}"#))
        let table = try table(transport)
        let error = await failure { () async throws(RemoteDataError) in try await table.count(Query()) }
        #expect(error?.code == kind)
        #expect(error?.message.contains("code \(code)") == true)
        #expect(error?.message.contains(message) == true)
        let write = await failure { () async throws(RemoteDataError) in
            try await table.commit(.delete("A"))
        }
        #expect(write?.code == kind)
    }

    @Test func aRowWithSuchColumnsIsNone() async throws {
        let transport = StubTransport(.json(#"{"objectId":"A","code":3064,"message":"hello"}"#))
        #expect(try await table(transport).row("A")?.id == "A")
    }

    @Test func refusalsWithoutWordsHaveTheirStatus() async throws {
        let table = try table(StubTransport(HTTPResponse(status: 502, body: Array("<html>".utf8))))
        let error = await failure { () async throws(RemoteDataError) in try await table.count(Query()) }
        #expect(error?.code == .unavailable)
        #expect(error?.message == "Backendless refuses a count of Person (status 502): it said nothing more.")
    }

    @Test(arguments: ["", "[]", "-1", "<html>", "1.5"]) func answersThatAreNoneAreErrors(body: String)
        async throws
    {
        let table = try table(StubTransport(.json(body)))
        let error = await failure { () async throws(RemoteDataError) in try await table.count(Query()) }
        #expect(error?.code == .invalidAnswer)
    }
}

// MARK: - Writing

extension BackendlessTableTests {
    @Test func aRowWithoutAnIDIsCreatedWithoutOne() async throws {
        let transport = StubTransport(.json(#"{"objectId":"A","n":1,"created":5}"#))
        let outcome = try await table(transport).commit(.create([draft(#"{"objectId":null,"n":1}"#)]))
        #expect(outcome.rows.map(\.text) == [#"{"objectId":"A","n":1,"created":5}"#])
        #expect(sent(transport) == [#"POST data/Person {"n":1}"#])
        #expect(transport.sent.allSatisfy { !$0.isRepeatable })
    }

    @Test func aRowWithAnIDIsCreatedInBulkAndRead() async throws {
        let transport = StubTransport(.json(#"["A"]"#), .json(#"{"objectId":"A","n":1,"created":5}"#))
        let outcome = try await table(transport).commit(.create([draft(#"{"objectId":"A","n":1}"#)]))
        #expect(outcome.rows.map(\.text) == [#"{"objectId":"A","n":1,"created":5}"#])
        #expect(
            sent(transport) == [#"POST data/bulk/Person [{"objectId":"A","n":1}]"#, "GET data/Person/A"]
        )
    }

    @Test func aRowThatWasCreatedAndCannotBeReadWasCreated() async throws {
        let transport = StubTransport(.json(#"["A"]"#), HTTPResponse(status: 500))
        let outcome = try await table(transport).commit(.create([draft(#"{"objectId":"A"}"#)]))
        #expect((outcome.ids, outcome.rows, outcome.count) == (["A"], [], 1))
    }

    @Test func rowsAreReplacedWhole() async throws {
        let stored =
            #"[{"objectId":"A","n":1,"s":"x","created":5,"updated":6,"ownerId":null,"___class":"Person"}]"#
        let transport = StubTransport(.json(stored), .json(#"{"objectId":"A","n":2,"s":null}"#))
        let table = try table(transport)
        _ = try await table.commit(.upsert([draft(#"{"objectId":"A","n":2}"#)]))
        #expect(sent(transport).last == #"PUT data/Person/upsert {"objectId":"A","n":2,"s":null}"#)
    }

    @Test func ofRowsWithTheSameIDTheLastOneStays() async throws {
        let transport = StubTransport(
            .json(#"{"code":1009,"message":"Table not found"}"#, status: 404),
            .json(#"["A","B","A"]"#)
        )
        let drafts = try [
            draft(#"{"objectId":"A","n":2}"#), draft(#"{"n":3}"#), draft(#"{"objectId":"A","s":"y"}"#),
        ]
        let outcome = try await table(transport).commit(.upsert(drafts))
        #expect(outcome.ids == ["A", "B", "A"])
        #expect(
            sent(transport).last
                == #"PUT data/bulkupsert/Person [{"objectId":"A","n":2},{"n":3},{"objectId":"A","s":"y","n":null}]"#
        )
    }

    @Test func aRowThatGetsAnotherIDIsAnError() async throws {
        let transport = StubTransport(.json("[]"), .json(#"{"objectId":"B"}"#))
        let table = try table(transport)
        let draft = try draft(#"{"objectId":"A"}"#)
        let error = await failure { () async throws(RemoteDataError) in
            try await table.commit(.upsert([draft]))
        }
        #expect(error?.code == .invalidAnswer)
        #expect(error?.message.contains("another id") == true)
    }

    @Test func writesByClauseAreExactOrNone() async throws {
        let transport = StubTransport(.json("3"))
        let collated = try table(transport, .byCollation)
        let (byNumber, byText) = (try Where("n = 1"), try Where("s = 'x'"))
        #expect(try await collated.commit(.deleteAll(byNumber)).count == 3)
        #expect(try await collated.commit(.updateAll(nil, patch: patch(#"{"n":1}"#))).count == 3)
        for mutation in [Mutation.deleteAll(byText), .updateAll(byText, patch: patch("{}"))] {
            let error = await failure { () async throws(RemoteDataError) in
                try await collated.commit(mutation)
            }
            #expect(error?.code == .invalidClause)
        }
        _ = try await table(transport).commit(.deleteAll(byText))
        #expect(
            sent(transport) == [
                #"POST data/bulk/Person/delete {"where":"n = 1"}"#,
                #"PUT data/bulk/Person?where=objectId%20IS%20NOT%20NULL {"n":1}"#,
                // Which only shows whether the table has the columns.
                "GET data/Person/count?where=s%20%3D%20%27x%27",
                "GET data/Person/count?where=s%20%3D%20%27x%27",
                #"POST data/bulk/Person/delete {"where":"s = 'x'"}"#,
            ]
        )
    }

    @Test func whatBackendlessCannotDoIsNotSent() async throws {
        let transport = StubTransport(.json("{}"))
        let table = try table(transport)
        let many = try (0..<101).map { _ in try draft("{}") }
        let refused: [(Mutation, RemoteDataError.Code)] = [
            (.create(many), .tooLarge), (.upsert(many), .tooLarge),
            (.create([try draft(#"{"objectId":7}"#)]), .invalidRow),
            (.update("A", patch: patch("{}"), ifRevision: Revision(1)), .invalidRequest),
            (.delete("A", ifRevision: Revision(1)), .invalidRequest),
            (.update("A", patch: patch(#"{"objectId":"B"}"#)), .invalidRow),
            (.updateAll(nil, patch: patch(#"{"objectId":"B"}"#)), .invalidRow),
            // Which may be an escape.
            (.deleteAll(try Where(#"s = 'a\b'"#)), .invalidClause),
            (.updateAll(try Where(#"n = 1 or s in ('a', '\')"#), patch: patch("{}")), .invalidClause),
        ]
        for (mutation, code) in refused {
            let error = await failure { () async throws(RemoteDataError) in try await table.commit(mutation) }
            #expect(error?.code == code)
        }
        #expect(try await table.commit(.create([])).count == 0)
        #expect(try await table.commit(.upsert([])).count == 0)
        #expect(transport.sent.isEmpty)
        let log = await failure { () async throws(RemoteDataError) in
            try await table.changes(since: Revision(1), limit: 1)
        }
        #expect(log?.code == .gone)
    }

    @Test(arguments: [7, "", "upsert", "deep-save"] as [RowID])
    func idsThatNoRowHasAreNotSent(id: RowID) async throws {
        let transport = StubTransport(.json("{}"))
        let table = try table(transport)
        for mutation in [Mutation.update(id, patch: patch("{}")), .delete(id)] {
            let error = await failure { () async throws(RemoteDataError) in try await table.commit(mutation) }
            #expect(error?.code == .notFound)
        }
        let json = if case .integer(let number) = id { "\(number)" } else { "\"\(id)\"" }
        // Nobody makes a row with an empty one.
        guard let draft = try? draft(#"{"objectId":\#(json)}"#) else { return }
        for mutation in [Mutation.create([draft]), .upsert([draft])] {
            let error = await failure { () async throws(RemoteDataError) in try await table.commit(mutation) }
            #expect(error?.code == .invalidRow)
        }
        #expect(transport.sent.isEmpty)
    }

    @Test func storedRowsThatCannotBeParsedAreNotReplaced() async throws {
        let transport = StubTransport(.json(#"[{"objectId":[],"n":1}]"#), .json(#"{"objectId":"A"}"#))
        let table = try table(transport)
        let draft = try draft(#"{"objectId":"A"}"#)
        let error = await failure { () async throws(RemoteDataError) in
            try await table.commit(.upsert([draft]))
        }
        #expect(error?.code == .invalidAnswer)
        #expect(transport.sent.count == 1)
    }

    @Test func aColumnThatARowCannotHaveIsTheRowsFault() async throws {
        let problem = #"{"code":1017,"message":"Column 'x' does not exist in table 'Person'"}"#
        let table = try table(StubTransport(.json(problem, status: 400)))
        let error = await failure { () async throws(RemoteDataError) in
            try await table.commit(.update("A", patch: patch(#"{"x":1}"#)))
        }
        #expect(error?.code == .invalidRow)
    }
}
