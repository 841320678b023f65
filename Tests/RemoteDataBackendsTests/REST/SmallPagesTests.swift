import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Synchronization
import Testing

/// Servers whose pages are smaller than those asked for, played by a stub.
struct SmallPagesTests {
    /// A server with rows 0 to 49 and pages of 7, which changes its table after a number of pages.
    private final class Server: Sendable {
        private struct State {
            var ids = Array(0..<50)
            var revision = 10
            var pages = 0
        }

        private let state = Mutex(State())
        private let hasKeys: Bool
        private let unreadable: Set<Int>
        private let change: @Sendable (Int, inout [Int]) -> Void

        init(
            hasKeys: Bool = true,
            unreadable: Set<Int> = [],
            change: @escaping @Sendable (Int, inout [Int]) -> Void = { _, _ in }
        ) {
            self.hasKeys = hasKeys
            self.unreadable = unreadable
            self.change = change
        }

        func answer(_ request: HTTPRequest) -> HTTPResponse {
            if request.url.hasSuffix("/api/info") {
                let names = hasKeys ? "\"keysetPages\"" : ""
                return .json("{\"protocol\":\"x\",\"capabilities\":[\(names)],\"maximumPageSize\":7}")
            }
            let query = request.url.split(separator: "?").last?.split(separator: "&") ?? []
            let values = Dictionary(
                uniqueKeysWithValues: query.map { part in
                    let pair = part.split(separator: "=")
                    let digits = pair[1].replacing("%5B", with: "").replacing("%5D", with: "")
                    return (String(pair[0]), Int(digits) ?? 0)
                }
            )
            let size = values["pageSize"] ?? 0
            guard size <= 7 else {
                return .json(#"{"code":1000,"message":"pageSize has to be 1 to 7"}"#, status: 400)
            }
            return state.withLock { state in
                var ids = state.ids[...]
                if let after = values["after"] {
                    ids = state.ids.drop { $0 <= after }
                } else if let before = values["before"] {
                    ids = state.ids.prefix { $0 < before }.suffix(size)
                } else {
                    ids = state.ids.dropFirst(values["offset"] ?? 0)
                }
                let rows = ids.prefix(size).map { unreadable.contains($0) ? "{}" : "{\"objectId\":\($0)}" }
                let answer = HTTPResponse.json(
                    "[" + rows.joined(separator: ",") + "]",
                    revision: state.revision
                )
                state.pages += 1
                let old = state.ids
                change(state.pages, &state.ids)
                if state.ids != old { state.revision += 1 }
                return answer
            }
        }
    }

    private func table(_ server: Server) throws -> (RESTTable, StubTransport) {
        let transport = StubTransport { request in server.answer(request) }
        return (try transport.table(), transport)
    }

    private func ids(_ page: Page) -> [Int] {
        page.rows.compactMap { row in if case .integer(let id) = row.id { Int(id) } else { nil } }
    }

    @Test(arguments: [true, false]) func aPageIsWholeThoughTheServersAreSmaller(hasKeys: Bool) async throws {
        let (table, transport) = try table(Server(hasKeys: hasKeys))
        let page = try await table.page(PageRequest(Query(), limit: 20))
        #expect(ids(page) == Array(0..<20))
        #expect(page.revision == Revision(10))
        #expect(table.capabilities.maximumPageSize == 7)
        // A refusal, what the server can do, and three parts.
        #expect(transport.sent.count == 5)
        let rest = try await table.page(PageRequest(Query(), start: .offset(40), limit: 20))
        #expect(ids(rest) == Array(40..<50))
        #expect(transport.sent.count == 7)
        #expect(ids(try await table.page(PageRequest(Query(), limit: 1_000))) == Array(0..<50))
    }

    @Test func aPageAtAKeyIsWholeInEitherDirection() async throws {
        let (table, _) = try table(Server())
        let key = Key(values: [], id: 29)
        let after = try await table.page(PageRequest(Query(), start: .after(key), limit: 15))
        #expect(ids(after) == Array(30..<45))
        let before = try await table.page(PageRequest(Query(), start: .before(key), limit: 15))
        #expect(ids(before) == Array(14..<29))
        let first = try await table.page(PageRequest(Query(), start: .before(key), limit: 100))
        #expect(ids(first) == Array(0..<29))
    }

    @Test func aPageThatTheServerCanSendIsOneRequest() async throws {
        let (table, transport) = try table(Server())
        #expect(ids(try await table.page(PageRequest(Query(), limit: 7))) == Array(0..<7))
        #expect(transport.sent.count == 1)
    }

    @Test func aChangeBetweenThePartsLeavesTheOldestRevision() async throws {
        // Row 3 moves behind what was read, and row 60 comes.
        let (table, _) = try table(
            Server { pages, ids in
                if pages == 1 { ids = ids.filter { $0 != 2 } + [60] }
            }
        )
        let page = try await table.page(PageRequest(Query(), limit: 100))
        #expect(ids(page) == Array(0..<50) + [60])
        #expect(page.revision == Revision(10))
    }

    @Test func aRowThatMovedBetweenThePartsIsThereOnce() async throws {
        // Without keys, a row put in front moves one that was read to the next part.
        let (table, _) = try table(
            Server(hasKeys: false) { pages, ids in
                if pages == 1 { ids.insert(99, at: 0) }
            }
        )
        let page = try await table.page(PageRequest(Query(), limit: 20))
        #expect(ids(page) == Array(0..<20))
    }

    @Test func rowsThatCannotBeReadKeepTheirPlaces() async throws {
        let (table, _) = try table(Server(unreadable: [3, 8, 16]))
        let page = try await table.page(PageRequest(Query(), limit: 18))
        #expect(ids(page) == (0..<18).filter { ![3, 8, 16].contains($0) })
        #expect(page.failures.map(\.position) == [3, 8, 16])
    }

    @Test func aPartThatCannotBeGoneOnFromIsAnErrorAndNotTheEnd() async throws {
        let (table, _) = try table(Server(unreadable: [36]))
        let start = PageRequest.Start.after(Key(values: [], id: 29))
        let error = await failure { () throws(RemoteDataError) in
            try await table.page(PageRequest(Query(), start: start, limit: 20))
        }
        #expect(error?.code == .invalidRow)
        // An offset knows the way.
        let page = try await table.page(PageRequest(Query(), start: .offset(30), limit: 20))
        #expect(page.rows.count == 19 && page.failures.map(\.position) == [6])
    }

    @Test(arguments: [true, false]) func aServerThatSendsTheSameRowsForEverIsLeft(hasKeys: Bool) async throws
    {
        let names = hasKeys ? "\"keysetPages\"" : ""
        let transport = StubTransport { request in
            request.url.hasSuffix("/api/info")
                ? .json("{\"protocol\":\"x\",\"capabilities\":[\(names)],\"maximumPageSize\":2}")
                : .json(#"[{"objectId":1},{"objectId":2}]"#)
        }
        let server = try transport.server()
        try await server.refreshCapabilities()
        let error = await failure { () throws(RemoteDataError) in
            try await server.table("people").page(PageRequest(Query(), limit: 9))
        }
        #expect(error?.code == .invalidAnswer && error?.message.contains("the same rows") == true)
        #expect(transport.sent.count == 5)
    }

    @Test func anotherRefusalIsTold() async throws {
        let transport = StubTransport { request in
            request.url.hasSuffix("/api/info")
                ? .json(#"{"protocol":"x","capabilities":[],"maximumPageSize":1000}"#)
                : .json(#"{"code":1000,"message":"no such parameter"}"#, status: 400)
        }
        let table = try transport.table()
        let error = await failure { () throws(RemoteDataError) in try await table.page(PageRequest(Query())) }
        #expect(error?.code == .invalidRequest && error?.message == "no such parameter")
        #expect(transport.sent.count == 2)
    }
}
