import Foundation
import RemoteData
import RemoteDataNetwork
import Synchronization
import Testing

@testable import RemoteDataBackends

@Suite(.timeLimit(.minutes(1))) final class PocketBaseTokensTests: Sendable {
    private let time = Mutex(Date(timeIntervalSince1970: 1_000_000))

    /// A token that ends at a time.
    private static func token(_ end: Int, _ name: String) -> String {
        let payload = Data(#"{"exp":\#(end),"name":"\#(name)"}"#.utf8).base64EncodedString()
        return "h.\(payload.replacing("=", with: "")).s"
    }

    /// A server that gives tokens of ten minutes, and says which it was shown.
    private func server(
        refusing status: Int? = nil,
        skew: Int = 0,
        knows: @escaping @Sendable (String) -> Bool = { _ in true },
        isGuest: @escaping @Sendable (String) -> Bool = { _ in false }
    ) throws -> (StubTransport, PocketBaseTable) {
        let given = Atomic<Int>(0)
        let transport = StubTransport { [self] request in
            let now = Int(time.withLock { $0 }.timeIntervalSince1970) + skew
            let shown = request.headers["Authorization"]
            let isRevoked = shown.map { !knows($0) || isGuest($0) } ?? true
            if request.url.hasSuffix("auth-refresh"), isRevoked {
                return .json(
                    #"{"message":"The request requires valid record authorization token.","data":{}}"#,
                    status: 401
                )
            }
            guard request.url.contains("auth-") else {
                if shown.map(knows) == false {
                    return .json(
                        #"{"message":"Only superusers can perform this action.","data":{}}"#,
                        status: 403
                    )
                }
                return shown.map(isGuest) == true ? Self.answerToGuest(request) : Self.answer(request)
            }
            if let status {
                return .json(#"{"message":"Failed to authenticate.","data":{}}"#, status: status)
            }
            let number = given.wrappingAdd(1, ordering: .relaxed).newValue
            var answer = HTTPResponse.json(#"{"token":"\#(Self.token(now + 600, "\(number)"))"}"#)
            let format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = TimeZone(identifier: "GMT")
            format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
            answer.headers["Date"] = format.string(from: Date(timeIntervalSince1970: TimeInterval(now)))
            return answer
        }
        let server = try PocketBaseServer(
            "http://example.com",
            as: .init("ann", password: "secret"),
            configuration: RESTConfiguration(),
            transport: transport,
            now: { [self] in time.withLock { $0 } }
        )
        return (transport, server.table("people"))
    }

    /// A list of one row, or that row.
    private static func answer(_ request: HTTPRequest) -> HTTPResponse {
        if request.url.hasSuffix("missing") { return answerToGuest(request) }
        return request.url.contains("?")
            ? .json(#"{"items":[{"id":"a"}],"perPage":10,"totalItems":1}"#) : .json(#"{"id":"a"}"#)
    }

    /// No rows, that there is no such row, or that none is created.
    private static func answerToGuest(_ request: HTTPRequest) -> HTTPResponse {
        if request.method == "POST" {
            return .json(#"{"message":"Failed to create record.","data":{}}"#, status: 400)
        }
        return request.url.contains("?")
            ? .json(#"{"items":[],"perPage":10,"totalItems":0}"#)
            : .json(#"{"message":"The requested resource wasn't found.","data":{}}"#, status: 404)
    }

    private func paths(_ transport: StubTransport) -> [String] {
        transport.sent.map { String($0.url.split(separator: "/").last ?? "") }
    }

    private func pass(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

    @Test func itSignsInOnceAndRefreshesBeforeTheEnd() async throws {
        let (transport, table) = try server()
        _ = try await table.row("a")
        _ = try await table.row("a")
        #expect(paths(transport) == ["auth-with-password", "a", "a"])
        pass(301)
        _ = try await table.row("a")
        #expect(paths(transport).suffix(2) == ["auth-refresh", "a"])
        pass(700)
        _ = try await table.row("a")
        #expect(paths(transport).suffix(2) == ["auth-with-password", "a"])
    }

    @Test(arguments: [-86_400, 86_400]) func clocksMayDiffer(skew: Int) async throws {
        let (transport, table) = try server(skew: skew)
        _ = try await table.row("a")
        _ = try await table.row("a")
        #expect(paths(transport) == ["auth-with-password", "a", "a"])
    }

    @Test func aTokenThatWasWithdrawnIsReplaced() async throws {
        let withdrawn = Mutex<Set<String>>([])
        let (transport, table) = try server { token in !withdrawn.withLock { $0.contains(token) } }
        _ = try await table.row("a")
        withdrawn.withLock { _ = $0.insert(transport.sent.last?.headers["Authorization"] ?? "") }
        pass(20)
        #expect(try await table.row("a")?.id == "a")
        #expect(paths(transport).suffix(4) == ["a", "auth-refresh", "auth-with-password", "a"])
    }

    @Test("What a revoked token leaves out of the last page is read again")
    func revokedTokensLeaveNothingOut() async throws {
        let revoked = Mutex<Set<String>>([])
        let (transport, table) = try server(isGuest: { token in revoked.withLock { $0.contains(token) } })
        #expect(try await table.page(PageRequest(Query(), limit: 10)).rows.map(\.id) == ["a"])
        let token = try #require(transport.sent.last?.headers["Authorization"])
        #expect(transport.sent.last?.url.hasSuffix("auth-refresh") == true)
        _ = try await table.page(PageRequest(Query(), limit: 1))
        let next = transport.sent.last?.headers["Authorization"] ?? ""
        #expect(next != token)
        revoked.withLock { _ = $0.insert(next) }
        #expect(try await table.page(PageRequest(Query(), limit: 10)).rows.map(\.id) == ["a"])
        #expect(
            paths(transport).suffix(4).map { String($0.prefix(12)) }
                == ["records?page", "auth-refresh", "auth-with-pa", "records?page"]
        )
    }

    @Test("A row that is missing for a revoked token is looked for again", arguments: [0.0, 20])
    func missingRowsAreLookedForAgain(age: TimeInterval) async throws {
        let revoked = Mutex<Set<String>>([])
        let (transport, table) = try server(isGuest: { token in revoked.withLock { $0.contains(token) } })
        _ = try await table.row("a")
        revoked.withLock { _ = $0.insert(transport.sent.last?.headers["Authorization"] ?? "") }
        pass(age)
        #expect(try await table.row("a")?.id == "a")
    }

    @Test("A row that a revoked token cannot create is created with the next one")
    func refusedCreationsAreRepeated() async throws {
        let revoked = Mutex<Set<String>>([])
        let (transport, table) = try server(isGuest: { token in revoked.withLock { $0.contains(token) } })
        _ = try await table.row("a")
        revoked.withLock { _ = $0.insert(transport.sent.last?.headers["Authorization"] ?? "") }
        let draft = try Draft(Array(#"{"id":"a"}"#.utf8)[...], idColumn: "id")
        #expect(try await table.commit(.create([draft])).ids == ["a"])
    }

    @Test("A row that is missing for the account is so once its token is confirmed")
    func missingRowsAreConfirmedOnce() async throws {
        let (transport, table) = try server()
        #expect(try await table.row("missing") == nil)
        #expect(paths(transport) == ["auth-with-password", "missing", "auth-refresh"])
    }

    @Test func whatIsForbiddenToANewTokenIsForbidden() async throws {
        let (transport, table) = try server { _ in false }
        let error = await failure { () async throws(RemoteDataError) in try await table.row("a") }
        #expect(error?.code == .forbidden)
        #expect(error?.message.contains("Only superusers can perform this action.") == true)
        let anew = ["auth-refresh", "auth-with-password", "a"]
        #expect(paths(transport) == ["auth-with-password", "a"] + anew + anew)
    }

    @Test func aWrongPasswordIsToldWithoutIt() async throws {
        let (_, table) = try server(refusing: 400)
        let error = await failure { () async throws(RemoteDataError) in try await table.row("a") }
        #expect(error?.code == .unauthorized)
        #expect("\(error.map { "\($0)" } ?? "")".contains("Failed to authenticate."))
        #expect("\(error.map { "\($0)" } ?? "")".contains("secret") == false)
    }

    @Test("A wrong password is tried once for a page, whatever columns its clause names")
    func aWrongPasswordIsTriedOnce() async throws {
        let (transport, table) = try server(refusing: 400)
        let query = Query(try Where.parse("age > 3 and name = 'x'"))
        let error = await failure { () async throws(RemoteDataError) in
            try await table.page(PageRequest(query))
        }
        #expect(error?.code == .unauthorized)
        #expect(paths(transport) == ["auth-with-password"])
    }

    @Test func aServerThatCannotBeAskedNowMayBeAskedLater() async throws {
        let (_, table) = try server(refusing: 503)
        let error = await failure { () async throws(RemoteDataError) in try await table.row("a") }
        #expect(error?.code == .unavailable)
        #expect(error?.isTransient == true)
    }

    @Test func textThatIsNoTokenNeverEnds() {
        for text in ["", "abc", "a.b.c", "a.e30.c"] {
            #expect(PocketBaseToken(text, now: .now).isValid(.distantFuture))
        }
    }
}

extension StubTransport: HTTPStreamTransport {
    /// Nobody streams from memory.
    func open(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStream {
        throw NetworkError(.unreachable, "There is no stream.")
    }
}
