import RemoteData
import RemoteDataNetwork
import RemoteDataTesting
import Testing

@testable import RemoteDataBackends

@Suite(.timeLimit(.minutes(1))) struct PocketBaseTableTests {
    private func table(_ transport: StubTransport, batchSize: Int = 1) throws -> PocketBaseTable {
        var configuration = RESTConfiguration()
        configuration.attempts = 1
        return try PocketBaseServer(
            "http://example.com",
            as: nil,
            batchSize: batchSize,
            configuration: configuration,
            transport: transport
        ).table("people")
    }

    private func draft(_ json: String) throws(RemoteDataError) -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "id")
    }

    private static let taken = #"""
        {"data":{"id":{"code":"validation_not_unique","message":"Value must be unique."}},"message":"Failed to create record.","status":400}
        """#

    @Test(arguments: [
        ("", 200), ("[]", 200), (#"{"items":[]}"#, 200), (#"{"items":3,"perPage":10}"#, 200),
        (#"{"items":[{"name":"x"}],"perPage":10}"#, 200), (#"{"items":[],"perPage":0}"#, 200),
        ("<html>", 200),
    ])
    func whatIsNoPageIsAnError(body: String, status: Int) async throws {
        let table = try table(StubTransport(.json(body, status: status)))
        let error = await failure { () async throws(RemoteDataError) in
            try await table.page(PageRequest(Query()))
        }
        #expect(error?.code == .invalidAnswer || error?.code == .invalidRow, "\(error.map { "\($0)" } ?? "")")
    }

    @Test func anErrorSaysWhatPocketBaseSaysAndWhenToComeBack() async throws {
        var answer = HTTPResponse.json(
            #"{"data":{},"message":"Too Many Requests.","status":429}"#,
            status: 429
        )
        answer.headers["Retry-After"] = "7"
        let table = try table(StubTransport(answer))
        let error = await failure { () async throws(RemoteDataError) in try await table.count(nil) }
        #expect(error?.code == .rateLimited)
        #expect(error?.retryAfter == .seconds(7))
        #expect(error?.message == "PocketBase refuses a count of people (429): Too Many Requests.")
    }

    @Test("The first request to a server that cannot be reached says so, and no other is sent")
    func unreachableServersSayWhyAtOnce() async throws {
        let transport = StubTransport { (_: HTTPRequest) throws(NetworkError) -> HTTPResponse in
            throw NetworkError(.unreachable, "Nothing listens there.")
        }
        let table = try table(transport)
        let counted = await failure { () async throws(RemoteDataError) in try await table.count(nil) }
        #expect(counted?.code == .unreachable)
        #expect(transport.sent.map(\.method) == ["PATCH"])
        let followed = await failure { () async throws(RemoteDataError) in
            try await table.subscribe(to: Query(), since: nil)
        }
        #expect(followed?.code == .unreachable)
        #expect(transport.sent.map(\.method) == ["PATCH", "PATCH"])
    }

    @Test func aColumnThatIsNotThereIsNamed() async throws {
        let transport = StubTransport { request in
            let message = "Something went wrong while processing your request."
            let isKnown = !request.url.contains("nmae")
            return isKnown
                ? .json(#"{"items":[],"perPage":1,"totalItems":0}"#)
                : .json(#"{"data":{},"message":"\#(message)","status":400}"#, status: 400)
        }
        let clause = try Where.parse("age > 3 and nmae = 'x'")
        let table = try table(transport)
        let error = await failure { () async throws(RemoteDataError) in try await table.count(clause) }
        #expect(error?.code == .unknownColumn)
        #expect(error?.message.contains("nmae") == true)
    }

    @Test func aCreationWhoseAnswerWasLostIsMadeOnce() async throws {
        let transport = StubTransport { request in
            if request.method == "POST" { return .json(Self.taken, status: 400) }
            return .json(#"{"items":[{"id":"\#(PocketBaseID.made(of: "k", 0))","name":"x"}],"perPage":1}"#)
        }
        let table = try table(transport)
        let outcome = try await table.commit(.create([draft(#"{"name":"x"}"#)]), idempotencyKey: "k")
        #expect(outcome.ids == [PocketBaseID.made(of: "k", 0)])
        // Of a row with an id of its own nobody knows who made it.
        let error = await failure { () async throws(RemoteDataError) in
            try await table.commit(.create([try draft(#"{"id":"abcdefghijklmno"}"#)]), idempotencyKey: "k")
        }
        #expect(error?.code == .alreadyExists)
    }

    @Test func conditionsAndClausesAreRefused() async throws {
        let table = try table(StubTransport(.json("{}")))
        for mutation in [
            Mutation.update("a", patch: Array("{}".utf8)[...], ifRevision: Revision(3)),
            .delete("a", ifRevision: Revision(3)),
            .deleteAll(nil), .updateAll(nil, patch: Array("{}".utf8)[...]),
        ] {
            let error = await failure { () async throws(RemoteDataError) in try await table.commit(mutation) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func moreRowsThanAreTakenAtOnceAreRefused() async throws {
        let table = try table(StubTransport(.json("[]")), batchSize: 2)
        let drafts = try (0..<3).map { _ in try draft("{}") }
        let error = await failure { () async throws(RemoteDataError) in
            try await table.commit(.create(drafts))
        }
        #expect(error?.code == .tooLarge)
    }

    @Test func aBatchThatIsAnsweredInPartIsAnError() async throws {
        let table = try table(StubTransport(.json(#"[{"status":200,"body":{"id":"a"}}]"#)), batchSize: 2)
        let drafts = try (0..<2).map { _ in try draft("{}") }
        let error = await failure { () async throws(RemoteDataError) in
            try await table.commit(.create(drafts))
        }
        #expect(error?.code == .invalidAnswer)
    }

    @Test func whatABatchRefusesIsTold() async throws {
        let body = #"""
            {"data":{"requests":{"1":{"code":"batch_request_failed","message":"Batch request failed.","response":\#
            \#(Self.taken)}}},"message":"Batch transaction failed.","status":400}
            """#
        let table = try table(StubTransport(.json(body, status: 400)), batchSize: 2)
        let drafts = try [draft(#"{"id":"abcdefghijklmno"}"#), draft(#"{"id":"bbcdefghijklmno"}"#)]
        let error = await failure { () async throws(RemoteDataError) in
            try await table.commit(.create(drafts))
        }
        #expect(error?.code == .alreadyExists)
        #expect(
            error?.message.contains(
                "Request 1 of the batch: Failed to create record. id: Value must be unique."
            ) == true
        )
    }
}
