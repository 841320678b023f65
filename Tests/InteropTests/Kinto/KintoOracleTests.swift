import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(15))) struct KintoOracleTests {
    @Test(arguments: Kinto.Place.all) func collectionsConvergeWhateverBreaks(place: Kinto.Place) async throws
    {
        let kinto = try await Kinto(in: place)
        _ = try await kinto.table("items")
        let oracle = try await InteropOracle(KintoItems(kinto: kinto, place: place), seed: Interop.seed)
        let problems = try await oracle.run(batches: Interop.batches)
        #expect(problems == [], "\(problems.joined(separator: "\n"))")
    }
}

private struct KintoItems: ForeignBackend {
    private static let records = "/buckets/\(Kinto.bucket)/collections/items/records"

    let kinto: Kinto
    let place: Kinto.Place

    var port: Int { kinto.process.port }

    var changesPath: String { "/v1\(Self.records)?_since" }

    var sorts: [String] { ["", "n", "n desc", "s", "s desc, n", "n, s desc"] }

    var refusesCredentials: Bool { true }

    func table(at url: String, _ configuration: RESTConfiguration) throws -> any Table {
        try KintoServer(
            url,
            bucket: Kinto.bucket,
            as: KintoAuthentication(Kinto.name, password: Kinto.password),
            storage: place.storage,
            pollInterval: .milliseconds(200),
            configuration: configuration
        ).table("items")
    }

    func id(_ number: Int) -> String { "item\(number)" }

    func create(_ item: Item) async throws {
        try await kinto.put(
            item.id ?? "",
            String(decoding: try JSONEncoder().encode(item), as: UTF8.self),
            in: "items"
        )
    }

    func update(_ id: String, _ members: String) async throws {
        try await unlessMissing("PATCH", id, #"{"data":\#(members)}"#)
    }

    func delete(_ id: String) async throws { try await unlessMissing("DELETE", id) }

    /// An import keeps the time of the last change, which no list of changes reaches back to.
    func createSilently(_ item: Item) async throws -> Bool {
        var members = try JSONObject.members(of: Array(try JSONEncoder().encode(item))[...])
        members.append(.init(name: "last_modified", value: .integer(Int64(item.tag.dropFirst()) ?? 1)))
        let json = String(decoding: JSONObject.object(of: members), as: UTF8.self)
        try await kinto.put(item.id ?? "", json, in: "items")
        return true
    }

    func deleteSilently(_ id: String) async throws -> Bool {
        try await unlessMissing("DELETE", "\(id)?last_modified=1000000")
        return true
    }

    /// Changes the password of the account, and changes it back.
    func endTokens() async throws -> Bool {
        let other = "another password"
        try await Kinto.changePassword(to: other, from: Kinto.password, at: kinto.process)
        for _ in 0..<30 { _ = try await kinto.answer("GET", "/") }
        try await Kinto.changePassword(to: Kinto.password, from: other, at: kinto.process)
        return true
    }

    private func unlessMissing(_ method: String, _ id: String, _ body: String? = nil) async throws {
        let answer = try await kinto.answer(method, "\(Self.records)/\(id)", body)
        guard answer.isSuccess || answer.status == 404 else {
            throw ForeignServer.Failed(reason: "\(answer.status)")
        }
    }

    func rows() async throws -> [Row] { try await rows(in: []) }

    /// PostgreSQL has text in an order of its own.
    func rows(in sort: [SortTerm]) async throws -> [Row] {
        let names = sort.map { ($0.isAscending ? "" : "-") + $0.column.description } + ["id"]
        let order = names.joined(separator: ",")
        let answer = try await kinto.call("GET", "\(Self.records)?_limit=1000&_sort=\(order)")
        let members = try JSONObject.members(of: answer.body[...])
        return try Page.parse(
            members.first { $0.name == "data" }.map { Array($0.json) } ?? [],
            idColumn: "id"
        ).rows
    }

    /// In memory nothing outlives it, so that it goes on.
    func restart() async throws {
        if place != .memory { try await kinto.process.restart() }
    }
}
