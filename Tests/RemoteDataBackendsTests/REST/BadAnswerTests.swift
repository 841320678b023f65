import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import RemoteDataTesting
import Testing

/// What is made of refusals and of answers that are not what the protocol promises.
struct BadAnswerTests {
    private func error(_ answer: HTTPResponse) async throws -> RemoteDataError? {
        let table = try StubTransport(answer).table()
        return await failure { () throws(RemoteDataError) in
            try await table.page(PageRequest(Query(), limit: 2))
        }
    }

    @Test(arguments: [
        (400, 1000, RemoteDataError.Code.invalidRequest), (400, 1018, .invalidRow),
        (401, 3064, .unauthorized),
        (403, 1403, .forbidden), (404, 1009, .notFound), (404, 1001, .notFound), (404, 1404, .invalidAnswer),
        (405, 1405, .invalidRequest), (409, 1155, .alreadyExists), (410, 1410, .gone), (412, 1412, .conflict),
        (413, 1413, .tooLarge), (431, 1431, .tooLarge), (429, 1429, .rateLimited), (500, 1500, .storage),
        (503, 1503, .unavailable), (418, 9999, .rejected), (503, 9999, .unavailable),
        (400, 1017, .unknownColumn),
    ])
    func aRefusalIsAnErrorByItsCode(status: Int, code: Int, kind: RemoteDataError.Code) async throws {
        let answer = HTTPResponse.json("{\"code\":\(code),\"message\":\"why it is so\"}", status: status)
        let error = try #require(try await error(answer))
        #expect(error.code == kind)
        #expect(error.status == status)
        #expect(code == 1009 ? error.message.contains("\"people\"") : error.message.contains("why it is so"))
    }

    @Test(arguments: [
        (301, RemoteDataError.Code.invalidAnswer), (400, .invalidRequest), (401, .unauthorized),
        (403, .forbidden),
        (404, .invalidAnswer), (408, .timedOut), (409, .alreadyExists), (410, .gone), (412, .conflict),
        (413, .tooLarge),
        (414, .tooLarge), (418, .rejected), (429, .rateLimited), (431, .tooLarge), (500, .unavailable),
        (502, .unavailable), (503, .unavailable), (504, .unavailable), (402, .unavailable),
        (421, .unavailable), (423, .unavailable), (501, .rejected), (505, .unavailable), (507, .unavailable),
        (509, .unavailable), (511, .unavailable), (522, .unavailable), (599, .unavailable), (600, .rejected),
    ])
    func aRefusalWithoutACodeIsAnErrorByItsStatus(status: Int, kind: RemoteDataError.Code) async throws {
        for body in ["", "<html><body>Bad gateway</body></html>", "{\"error\":", "null", "{\"message\":5}"] {
            let answer = HTTPResponse(status: status, body: Array(body.utf8))
            let error = try #require(try await error(answer))
            #expect(error.code == kind)
            #expect(error.status == status)
            #expect(!error.message.isEmpty && !error.message.contains("<"))
        }
    }

    @Test func aClauseThatCannotBeReadSaysWhere() async throws {
        let json = #"{"code":1017,"message":"A value is expected","position":6}"#
        let error = try #require(try await error(.json(json, status: 400)))
        #expect(error.code == .invalidClause && error.position == 6)
    }

    @Test func anErrorInsideASuccessIsAnError() async throws {
        let error = try #require(try await error(.json(#"{"code":1009,"message":"no such table"}"#)))
        #expect(error.code == .notFound)
        let unknown = try #require(try await self.error(.json(#"{"code":77,"message":"odd"}"#)))
        #expect(unknown.code == .invalidAnswer && unknown.message == "odd")
    }

    @Test func theWaitAServerAsksForIsPassedOn() async throws {
        var answer = HTTPResponse.json(#"{"code":1503,"message":"stopping"}"#, status: 503)
        answer.headers["Retry-After"] = "7"
        let error = try #require(try await error(answer))
        #expect(error.retryAfter == .seconds(7) && error.isTransient)
    }

    @Test func aRefusalTellsHowOftenTheWriteWasSent() async throws {
        var configuration = RESTConfiguration()
        let clock = ManualClock()
        configuration.clock = clock
        let answers = [HTTPResponse(status: 503), .json(#"{"code":1155,"message":"there"}"#, status: 409)]
        let table = try StubTransport(answers[0], answers[1]).table(configuration)
        let row = try Draft(Array(#"{"objectId":"a"}"#.utf8)[...], idColumn: "objectId")
        async let error = failure { () throws(RemoteDataError) in
            try await table.commit(.create([row]), idempotencyKey: "k")
        }
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(1))
        let refusal = try #require(await error)
        #expect(refusal.code == .alreadyExists && refusal.attempts == 2)
    }

    @Test(arguments: [
        "", "   ", "<!DOCTYPE html><html></html>", "\n <html>", "{}", "5", "null", "[",
        "[{\"objectId\":\"a\"}",
        "[{\"objectId\":\"a\"},]", "[{\"objectId\":\"a\"}] x", "[1", "[{}", "[{},{\"objectId\":null}",
        "[{\"objectId\":\"a\" \"b\":1}]",
        "[{\"objectId\":\"a\",\"n\":01}]", "[{\"objectId\":\"\u{1}\"}]",
    ])
    func aPageThatIsNoneIsAnError(body: String) async throws {
        let error = try #require(try await error(.json(body)))
        #expect(error.code == .invalidAnswer, "\(error)")
        #expect(!error.isTransient)
    }

    @Test(arguments: [
        ("5", "an object expected"), ("{}", "objectId is missing"),
        (#"{"objectId":null}"#, "objectId is neither"), (#"{"objectId":1.5}"#, "objectId is neither"),
        (#"{"objectId":"a","objectId":"b"}"#, "objectId is there twice"),
    ])
    func aRowThatCannotBeReadLeavesTheOthersUsable(json: String, problem: String) async throws {
        let table = try StubTransport(.json(#"[\#(json),{"objectId":"b"}]"#, revision: 4)).table()
        let page = try await table.page(PageRequest(Query(), limit: 2))
        #expect(page.rows.map(\.id) == ["b"])
        #expect(page.revision == Revision(4))
        #expect(page.failures.map(\.position) == [0])
        #expect(page.failures.first?.error.code == .invalidRow)
        #expect(page.failures.first?.error.message.contains(problem) == true)
    }

    @Test func unreadableRowsCountTowardsThePage() async throws {
        let error = try #require(try await error(.json(#"[{"objectId":1},{},{}]"#)))
        #expect(error.code == .invalidAnswer && error.message.contains("3 rows where 2"))
    }

    @Test func invalidUTF8IsAnError() async throws {
        let body = Array("[{\"objectId\":\"".utf8) + [0xC3, 0x28] + Array("\"}]".utf8)
        let error = try #require(try await error(HTTPResponse(status: 200, body: body)))
        #expect(error.code == .invalidAnswer && error.message.contains("UTF-8"))
    }

    @Test func htmlIsNamedAsSuch() async throws {
        let error = try #require(try await error(HTTPResponse(status: 200, body: Array("<html>".utf8))))
        #expect(error.message.contains("HTML") && error.message.contains("http://example.com"))
    }

    @Test func aPageWithMoreRowsThanAskedForIsRefused() async throws {
        let error = try #require(try await error(.json(#"[{"objectId":1},{"objectId":2},{"objectId":3}]"#)))
        #expect(error.code == .invalidAnswer && error.message.contains("3 rows where 2"))
    }

    @Test(arguments: ["", "-1", "1.5", "\"3\"", "true", "[3]", "{}", "3 4", "99999999999999999999"])
    func aCountThatIsNoneIsAnError(body: String) async throws {
        let table = try StubTransport(.json(body)).table()
        let error = await failure { () throws(RemoteDataError) in try await table.count(nil) }
        #expect(error?.code == .invalidAnswer)
    }

    @Test(arguments: [
        "5", "[\"a\"]", "[\"a\",\"b\",\"c\"]", "[\"a\",null]", "[\"a\",1.5]", "[\"a\"", "{}", "",
    ])
    func idsThatDoNotFitTheRowsAreAnError(body: String) async throws {
        let table = try StubTransport(.json(body)).table()
        let draft = try Draft(Array("{}".utf8)[...], idColumn: "objectId")
        let error = await failure { () throws(RemoteDataError) in
            try await table.commit(.create([draft, draft]))
        }
        #expect(error?.code == .invalidAnswer)
    }

    @Test(arguments: [
        "[]", "{}", #"{"changes":{},"revision":1,"complete":true}"#, #"{"changes":[],"complete":true}"#,
        #"{"changes":[],"revision":-1,"complete":true}"#, #"{"changes":[],"revision":1}"#,
        #"{"changes":[{"revision":1,"kind":"created"}],"revision":1,"complete":true}"#,
        #"{"changes":[{"revision":1,"kind":"created","row":{}}],"revision":1,"complete":true}"#,
        #"{"changes":[{"revision":1,"kind":"deleted"}],"revision":1,"complete":true}"#,
        #"{"changes":[{"revision":1,"kind":"bulkDeleted","where":"((("}],"revision":1,"complete":true}"#,
        #"{"changes":[5],"revision":1,"complete":true}"#,
    ])
    func aChangeLogThatIsNoneIsAnError(body: String) async throws {
        let table = try StubTransport(.json(body)).table()
        let error = await failure { () throws(RemoteDataError) in
            try await table.changes(since: .zero, limit: 5)
        }
        #expect(error?.code == .invalidAnswer)
    }

    @Test func anotherRowThanTheOneUpdatedIsAnError() async throws {
        let table = try StubTransport(.json(#"{"objectId":"b"}"#)).table()
        let error = await failure { () throws(RemoteDataError) in
            try await table.commit(.update("a", patch: Array("{}".utf8)[...]))
        }
        #expect(error?.code == .invalidAnswer)
    }

    @Test(arguments: [
        (NetworkError.Code.unreachable, RemoteDataError.Code.unreachable), (.closed, .unreachable),
        (.timedOut, .timedOut), (.cancelled, .cancelled), (.tooLarge, .tooLarge), (.tls, .invalidAnswer),
        (.badAnswer, .invalidAnswer), (.invalidRequest, .invalidRequest), (.credentials, .unauthorized),
        (.overloaded, .unavailable), (.unavailable, .unavailable),
    ])
    func aRequestWithoutAnAnswerIsAnError(code: NetworkError.Code, kind: RemoteDataError.Code) async throws {
        let table = try StubTransport { (_) throws(NetworkError) in throw NetworkError(code, "what happened")
        }.table()
        let error = await failure { () throws(RemoteDataError) in try await table.count(nil) }
        #expect(error?.code == kind)
        if kind == .timedOut {
            #expect(error?.message.hasPrefix("http://example.com did not answer for 0 s. Check") == true)
        } else {
            #expect(error?.message == "what happened")
        }
        #expect(error?.cause is NetworkError)
    }

    @Test func aServersMessageIsCutToABearableLine() async throws {
        let long = String(repeating: "x", count: 5_000)
        let json = "{\"code\":1000,\"message\":\"a\\nb\\u0007\(long)\"}"
        let error = try #require(try await error(.json(json, status: 400)))
        #expect(error.message.hasPrefix("a bx") && error.message.count <= 1_000)
    }
}
