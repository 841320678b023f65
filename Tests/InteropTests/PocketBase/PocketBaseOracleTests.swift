import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(15))) struct PocketBaseOracleTests {
    @Test func collectionsConvergeWhateverBreaks() async throws {
        let items = try await PocketBaseItems()
        let oracle = try await InteropOracle(items, seed: Interop.seed)
        let problems = try await oracle.run(batches: Interop.batches)
        #expect(problems == [], "\(problems.joined(separator: "\n"))")
    }
}

/// Items that a user sees unless they are secret.
private struct PocketBaseItems: ForeignBackend {
    private static let records = "/api/collections/items/records"
    private static let (name, user) = ("writer@example.com", "writer000000000")

    let pocketBase: PocketBase

    init() async throws {
        pocketBase = try await PocketBase()
        let password = #""password":"\#(PocketBase.password)","passwordConfirm":"\#(PocketBase.password)""#
        try await pocketBase.call(
            "POST",
            "/api/collections/users/records",
            #"{"id":"\#(Self.user)","email":"\#(Self.name)",\#(password)}"#
        )
        // The shortest time that it takes.
        try await pocketBase.call("PATCH", "/api/collections/users", #"{"authToken":{"duration":10}}"#)
        let fields =
            ["s", "tag"].map { #"{"name":"\#($0)","type":"text"}"# }
            + [#"{"name":"n","type":"number"}"#, #"{"name":"isSecret","type":"bool"}"#]
        let reading = ["list", "view"].map { #""\#($0)Rule":"isSecret = false && @request.auth.id != ''""# }
        let writing = ["create", "update", "delete"].map { #""\#($0)Rule":"@request.auth.id != ''""# }
        try await pocketBase.call(
            "POST",
            "/api/collections",
            """
            {"name":"items","type":"base",\((reading + writing).joined(separator: ",")),
            "fields":[\(fields.joined(separator: ","))]}
            """
        )
    }

    var port: Int { pocketBase.process.port }

    var changesPath: String { "/api/realtime" }

    var sorts: [String] { ["", "n", "n desc", "s", "s desc, n", "n, s desc"] }

    func table(at url: String, _ configuration: RESTConfiguration) throws -> any Table {
        let account = PocketBaseAuthentication(Self.name, password: PocketBase.password)
        return try PocketBaseServer(url, as: account, configuration: configuration).table("items")
    }

    func id(_ number: Int) -> String {
        let digits = String(number)
        return "item" + String(repeating: "0", count: 11 - digits.count) + digits
    }

    func create(_ item: Item) async throws {
        let body = String(decoding: try JSONEncoder().encode(item), as: UTF8.self)
        try await pocketBase.call("POST", Self.records, body)
    }

    func update(_ id: String, _ members: String) async throws {
        try await unlessMissing("PATCH", id, members)
    }

    func delete(_ id: String) async throws { try await unlessMissing("DELETE", id) }

    func deleteSilently(_ id: String) async throws -> Bool {
        try await unlessMissing("PATCH", id, #"{"isSecret":true}"#)
        return true
    }

    /// A new password revokes every token, even if it is the same.
    func endTokens() async throws -> Bool {
        let body = #"{"password":"\#(PocketBase.password)","passwordConfirm":"\#(PocketBase.password)"}"#
        try await pocketBase.call("PATCH", "/api/collections/users/records/\(Self.user)", body)
        return true
    }

    func awaitExpiry() async throws -> Bool {
        let url = pocketBase.process.url + Self.records
        let body = #"{"identity":"\#(Self.name)","password":"\#(PocketBase.password)"}"#
        let answer = try await pocketBase.call("POST", "/api/collections/users/auth-with-password", body)
        let member = try JSONObject.members(of: answer.body[...]).first { $0.name == "token" }
        guard let member, case .text(let token)? = Value(json: member.json) else {
            throw ForeignServer.Failed(reason: "PocketBase gives no token")
        }
        let deadline = ContinuousClock.now + .seconds(30)
        let transport = CurlTransport()
        let request = HTTPRequest("GET", url + "?perPage=1", headers: ["Authorization": token])
        // A guest finds nothing.
        while try await Self.rowCount(transport.send(request)) > 0 {
            guard ContinuousClock.now < deadline else {
                throw ForeignServer.Failed(reason: "A token of ten seconds does not run out")
            }
        }
        return true
    }

    /// Superusers have no limit.
    func limitRequests(_ isLimited: Bool) async throws -> Bool {
        let rule = #"{"label":"/api/","duration":60,"maxRequests":1,"audience":""}"#
        let limits = #"{"enabled":\#(isLimited),"rules":[\#(rule)]}"#
        try await pocketBase.call("PATCH", "/api/settings", #"{"rateLimits":\#(limits)}"#)
        return true
    }

    private static func rowCount(_ answer: HTTPResponse) throws -> Int {
        let members = try JSONObject.members(of: answer.body[...])
        guard let json = members.first(where: { $0.name == "totalItems" })?.json,
            case .integer(let count)? = Value(json: json)
        else { throw ForeignServer.Failed(reason: "PocketBase does not count") }
        return Int(count)
    }

    private func unlessMissing(_ method: String, _ id: String, _ body: String = "") async throws {
        let answer = try await pocketBase.answer(method, "\(Self.records)/\(id)", body)
        guard answer.isSuccess || answer.status == 404 else {
            throw ForeignServer.Failed(reason: "\(answer.status)")
        }
    }

    func rows() async throws -> [Row] {
        let answer = try await pocketBase.call(
            "GET",
            "\(Self.records)?perPage=1000&fields=id,s,n,tag&filter=isSecret%3Dfalse"
        )
        let members = try JSONObject.members(of: answer.body[...])
        let items = members.first { $0.name == "items" }.map { Array($0.json) } ?? []
        return try Page.parse(items, idColumn: "id").rows
    }

    func restart() async throws { try await pocketBase.process.restart() }
}
