import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(15))) struct BackendlessOracleTests {
    @Test(arguments: [(4, BackendlessTextComparison.byBytes), (3, .byCollation)])
    func collectionsConvergeWhateverBreaks(version: Int, comparesText: BackendlessTextComparison) async throws
    {
        let backendless = try await Backendless(
            version: version,
            comparesText: comparesText,
            hasAccount: true
        )
        let oracle = try await InteropOracle(backendless, seed: Interop.seed)
        let problems = try await oracle.run(batches: Interop.batches)
        #expect(problems == [], "\(problems.joined(separator: "\n"))")
    }
}

extension Backendless: ForeignBackend {
    var port: Int { process.port }

    var changesPath: String { "/socket.io" }

    var sorts: [String] { ["", "n", "n desc", "s", "s desc, n", "n, s desc"] }

    func table(at url: String, _ configuration: RESTConfiguration) throws -> any Table {
        var configuration = configuration
        configuration.treatsMissingTablesAsEmpty = true
        return try BackendlessServer(
            url + Self.path,
            as: BackendlessAuthentication(Self.login, password: Self.password),
            comparesText: comparesText,
            configuration: configuration,
            transport: CurlTransport(),
            sockets: LWSTransport(),
            // A connection that is cut again and again is made again soon all the same.
            chance: { Double.random(in: 0..<0.05) }
        ).table("items")
    }

    func id(_ number: Int) -> String {
        let digits = String(number)
        return "ITEM-" + String(repeating: "0", count: 6 - digits.count) + digits
    }

    func create(_ item: Item) async throws {
        var members = try JSONObject.members(of: Array(try JSONEncoder().encode(item))[...])
        members.removeAll { $0.name == "id" }
        if let id = item.id { members.append(.init(name: "objectId", value: .text(id))) }
        try await call("POST", "items", String(decoding: JSONObject.object(of: members), as: UTF8.self))
    }

    func update(_ id: String, _ members: String) async throws {
        try await call("PUT", "items/\(id)", members, needsRow: false)
    }

    func delete(_ id: String) async throws { try await call("DELETE", "items/\(id)", needsRow: false) }

    func rows() async throws -> [Row] {
        let answer = try await call("GET", "items?pageSize=1000")
        return try Page.parse(answer.body, idColumn: "objectId").rows
    }

    func restart() async throws {
        process.kill()
        try await storage.restart()
        try await process.restart()
    }
}
