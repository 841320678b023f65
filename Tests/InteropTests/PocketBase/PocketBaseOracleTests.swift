import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(15))) struct PocketBaseOracleTests {
    @Test func collectionsConvergeWhateverBreaks() async throws {
        let pocketBase = try await PocketBase()
        let fields = #"{"name":"s","type":"text"},{"name":"n","type":"number"},{"name":"tag","type":"text"}"#
        try await pocketBase.call(
            "POST",
            "/api/collections",
            #"{"name":"items","type":"base","fields":[\#(fields)]}"#
        )
        let oracle = try await InteropOracle(pocketBase, seed: Interop.seed)
        let problems = try await oracle.run(batches: Interop.batches)
        #expect(problems == [], "\(problems.joined(separator: "\n"))")
    }
}

extension PocketBase: ForeignBackend {
    private static let records = "/api/collections/items/records"

    var port: Int { process.port }

    var sorts: [String] { ["", "n", "n desc", "s", "s desc, n", "n, s desc"] }

    func table(at url: String, _ configuration: RESTConfiguration) throws -> any Table {
        let account = PocketBaseAuthentication.superuser(Self.email, password: Self.password)
        return try PocketBaseServer(url, as: account, configuration: configuration).table("items")
    }

    func id(_ number: Int) -> String {
        let digits = String(number)
        return "item" + String(repeating: "0", count: 11 - digits.count) + digits
    }

    func create(_ item: Item) async throws {
        try await call("POST", Self.records, String(decoding: try JSONEncoder().encode(item), as: UTF8.self))
    }

    func update(_ id: String, _ members: String) async throws {
        let answer = try await answer("PATCH", "\(Self.records)/\(id)", members)
        guard answer.isSuccess || answer.status == 404 else {
            throw ForeignServer.Failed(reason: "\(answer.status)")
        }
    }

    func delete(_ id: String) async throws {
        let answer = try await answer("DELETE", "\(Self.records)/\(id)")
        guard answer.isSuccess || answer.status == 404 else {
            throw ForeignServer.Failed(reason: "\(answer.status)")
        }
    }

    func rows() async throws -> [Row] {
        let answer = try await call("GET", "\(Self.records)?perPage=1000&fields=id,s,n,tag")
        let members = try JSONObject.members(of: answer.body[...])
        let items = members.first { $0.name == "items" }.map { Array($0.json) } ?? []
        return try Page.parse(items, idColumn: "id").rows
    }

    func restart() async throws { try await process.restart() }
}
