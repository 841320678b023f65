import RemoteDataNetwork
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct HTTPClientCredentialsTests {
    let clock = ManualClock()
    let get = HTTPRequest("GET", "http://a/")

    /// Accepts one token only.
    private func server(accepting token: Watched<String>) -> StubTransport {
        StubTransport { request, _ in
            HTTPResponse(status: request.headers["Authorization"] == "Bearer \(token.value)" ? 200 : 401)
        }
    }

    private func client(
        _ transport: any HTTPTransport,
        _ change: (inout HTTPClient.Options) -> Void = { _ in },
        credentials: @escaping CredentialsProvider
    ) -> HTTPClient {
        var options = HTTPClient.Options()
        options.clock = clock
        change(&options)
        return HTTPClient(transport: transport, options: options, credentials: credentials)
    }

    @Test func credentialsAreAskedForOnceAndKept() async throws {
        let asked = Watched<[CredentialsReason]>([])
        let client = client(server(accepting: Watched("a"))) { reason in
            asked.change { $0.append(reason) }
            return "a"
        }
        for _ in 0..<3 { #expect(try await client.send(get).status == 200) }
        #expect(asked.value == [.needed])
        client.forgetCredentials()
        _ = try await client.send(get)
        #expect(asked.value == [.needed, .needed])
    }

    @Test("A confirmation waits for an open question, and asks another one")
    func confirmationsAskAfterTheCall() async throws {
        let asked = Watched(0)
        let release = Watched(false)
        let client = client(StubTransport(statuses: 200)) { _ in
            asked.change { $0 += 1 }
            await release.wait { $0 }
            return "a"
        }
        let first = Task { try await client.send(get) }
        await asked.wait { $0 == 1 }
        let confirmation = Task { try await client.confirmCredentials() }
        release.change { $0 = true }
        try await inTime { try await confirmation.value }
        _ = try await first.value
        #expect(asked.value == 2)
    }

    @Test func aTokenIsSensitiveWhereverItIsPut() async throws {
        let transport = StubTransport(statuses: 200)
        _ = try await client(transport) { _ in "t" }.send(get)
        _ = try await client(transport, { $0.placement = .header("user-token") }) { _ in "t" }.send(get)
        let fields = transport.sent.value.flatMap(\.headers.fields)
        #expect(fields.map(\.name) == ["Authorization", "user-token"])
        #expect(fields.map(\.value) == ["Bearer t", "t"])
        #expect(fields.map(\.isSensitive) == [true, true])
    }

    @Test(arguments: ["GET", "POST"]) func a401AsksForNewOnesAndRepeatsOnce(method: String) async throws {
        let asked = Watched<[CredentialsReason]>([])
        let transport = server(accepting: Watched("new"))
        let client = client(transport) { reason in
            asked.change { $0.append(reason) }
            return reason == .rejected ? "new" : "old"
        }
        #expect(try await client.send(HTTPRequest(method, "http://a/")).status == 200)
        #expect(asked.value == [.needed, .rejected])
        #expect(transport.sent.value.count == 2)
    }

    @Test func aSecond401IsFinal() async throws {
        let transport = StubTransport(statuses: 401)
        #expect(try await client(transport) { _ in "never right" }.send(get).status == 401)
        #expect(transport.sent.value.count == 2)
    }

    @Test func withoutCredentialsA401IsTheAnswer() async throws {
        let transport = StubTransport(statuses: 401)
        let client = HTTPClient(transport: transport)
        #expect(try await client.send(get).status == 401)
        #expect(transport.sent.value.count == 1)
    }

    @Test func manyRequestsRefreshOnceTogether() async throws {
        let asked = Watched<[CredentialsReason]>([])
        let arrived = Watched(0)
        let release = Watched(false)
        let transport = StubTransport { request, _ in
            guard request.headers["Authorization"] == "Bearer old" else { return HTTPResponse(status: 200) }
            // All of them are under way with the old token before any is refused.
            arrived.change { $0 += 1 }
            await arrived.wait { $0 == 50 }
            return HTTPResponse(status: 401)
        }
        let client = client(transport) { reason in
            asked.change { $0.append(reason) }
            guard reason == .rejected else { return "old" }
            await release.wait { $0 }
            return "new"
        }
        let tasks = (0..<50).map { _ in Task { try await client.send(get) } }
        await asked.wait { $0.count == 2 }
        release.change { $0 = true }
        for task in tasks { #expect(try await inTime { try await task.value }.status == 200) }
        #expect(asked.value == [.needed, .rejected])
        #expect(transport.sent.value.count == 100)
    }

    @Test func whoeverGivesUpDoesNotSpoilItForTheOthers() async throws {
        let asked = Watched(0)
        let release = Watched(false)
        let client = client(server(accepting: Watched("a"))) { _ in
            asked.change { $0 += 1 }
            await release.wait { $0 }
            return "a"
        }
        let first = Task { try await client.send(get) }
        await asked.wait { $0 == 1 }
        let second = Task { try await client.send(get) }
        first.cancel()
        #expect(await failure { try await first.value }?.code == .cancelled)
        release.change { $0 = true }
        #expect(try await inTime { try await second.value }.status == 200)
        #expect(asked.value == 1)
    }

    @Test func aFailingClosureIsToldAndAskedAgainNextTime() async throws {
        struct SignInFailed: Error {}
        let asked = Watched(0)
        let client = client(StubTransport(statuses: 200)) { _ in
            asked.change { $0 += 1 }
            guard asked.value > 1 else { throw SignInFailed() }
            return "a"
        }
        let error = await failure { try await client.send(get) }
        #expect(error?.code == .credentials)
        #expect(error?.cause is SignInFailed)
        #expect(try await client.send(get).status == 200)
    }

    @Test func aClosureThatDoesNotAnswerIsGivenUp() async {
        let asked = Watched(0)
        let never = Watched(false)
        let client = client(StubTransport(statuses: 200)) { _ in
            asked.change { $0 += 1 }
            await never.wait { $0 }
            return nil
        }
        let task = Task { try await client.send(get) }
        await asked.wait { $0 == 1 }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(30))
        let error = await failure { try await task.value }
        #expect(error?.code == .timedOut)
        never.change { $0 = true }
    }

    @Test func theDeadlineBoundsTheWaitForCredentials() async {
        let asked = Watched(0)
        let never = Watched(false)
        let client = client(StubTransport(statuses: 200)) { _ in
            asked.change { $0 += 1 }
            await never.wait { $0 }
            return nil
        }
        let task = Task { try await client.send(get, deadline: .seconds(5)) }
        await asked.wait { $0 == 1 }
        await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        #expect(await failure { try await task.value }?.code == .timedOut)
        never.change { $0 = true }
    }

    @Test func whoWaitsWhenCredentialsAreForgottenGetsThoseOfTheNewUser() async throws {
        let asked = Watched(0)
        let release = Watched(false)
        let client = client(server(accepting: Watched("user 2"))) { _ in
            let number = asked.change { asked in
                asked += 1
                return asked
            }
            await release.wait { $0 }
            return "user \(number)"
        }
        let task = Task { try await client.send(get) }
        await asked.wait { $0 == 1 }
        client.forgetCredentials()
        await asked.wait { $0 == 2 }
        release.change { $0 = true }
        #expect(try await inTime { try await task.value }.status == 200)
        #expect(try await client.send(get).status == 200)
        #expect(asked.value == 2)
    }

    @Test func aDeadlineAsGoodAsOverEndsTheWaitForCredentialsAtOnce() async throws {
        let never = Watched(false)
        // On this clock only the long wait for the provider takes time.
        let client = client(StubTransport(statuses: 200), { $0.clock = ImpatientClock() }) { _ in
            await never.wait { $0 }
            return nil
        }
        for _ in 0..<200 {
            let error = await failure { try await client.send(get, deadline: .nanoseconds(1)) }
            try #require(error?.code == .timedOut)
        }
        never.change { $0 = true }
    }

    @Test func aHandshakeGetsCredentialsToo() async throws {
        let client = client(StubTransport(statuses: 200), { $0.headers = ["X": "1"] }) { reason in
            reason == .rejected ? "new" : "old"
        }
        let first = try await client.authorized(WebSocketRequest("ws://a/"))
        #expect(first.headers["Authorization"] == "Bearer old")
        #expect(first.headers["X"] == "1")
        let second = try await client.authorized(WebSocketRequest("ws://a/"), reason: .rejected)
        #expect(second.headers["Authorization"] == "Bearer new")
    }

    @Test func a401FromARealServerIsRefreshedOnceForMany() async throws {
        let server = try LoopbackServer.answering { request in
            LoopbackAnswer(request.header("Authorization") == "Bearer new" ? 200 : 401)
        }
        let asked = Watched(0)
        let client = client(CurlTransport()) { reason in
            if reason == .rejected { asked.change { $0 += 1 } }
            return reason == .rejected ? "new" : "old"
        }
        let url = server.url
        let statuses = try await inTime {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<40 { group.addTask { try await client.send(HTTPRequest("GET", url)).status } }
                return try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            }
        }
        #expect(statuses == [200])
        #expect(asked.value == 1)
    }
}
