import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork

/// A PocketBase of its own for each test.
struct PocketBase: Sendable {
    static let (email, password) = ("tester@example.com", "correct horse")

    let process: ForeignServer
    let server: PocketBaseServer
    private let token = SuperuserToken()

    init(batchSize: Int = 1) async throws {
        process = try await ForeignServer("pocketbase-with-superuser", saying: "Server started") {
            port,
            folder in
            [folder, Self.email, Self.password, "127.0.0.1:\(port)"]
        }
        server = try PocketBaseServer(
            process.url,
            as: .superuser(Self.email, password: Self.password),
            batchSize: batchSize
        )
    }

    /// Makes a collection with columns of all kinds.
    func table(_ name: String) async throws -> PocketBaseTable {
        let fields = """
            {"name":"s","type":"text"},{"name":"n","type":"number"},{"name":"b","type":"bool"},
            {"name":"j","type":"json"},{"name":"updated","type":"autodate","onCreate":true,"onUpdate":true}
            """
        let rules = ["list", "view", "create", "update", "delete"].map { #""\#($0)Rule":"""# }.joined(
            separator: ","
        )
        let body = #"{"name":"\#(name)","type":"base",\#(rules),"fields":[\#(fields)]}"#
        _ = try await call("POST", "/api/collections", body)
        return server.table(name)
    }

    /// Makes a collection whose columns hold anything.
    func looseTable(_ name: String) async throws -> PocketBaseTable {
        let columns = ["name", "age", "number", "flag", "place", "mark", "note", "gone"]
        let fields = columns.map { #"{"name":"\#($0)","type":"json"}"# }.joined(separator: ",")
        _ = try await call(
            "POST",
            "/api/collections",
            #"{"name":"\#(name)","type":"base","fields":[\#(fields)]}"#
        )
        return server.table(name)
    }

    /// Sends a request as the superuser, past everything that is tested.
    ///
    /// - Returns: The answer, whatever its status.
    func answer(_ method: String, _ path: String, _ body: String = "") async throws -> HTTPResponse {
        let transport = CurlTransport()
        let request = HTTPRequest(
            method,
            process.url + path,
            headers: [
                "Content-Type": "application/json", "Authorization": try await token.text(process.url),
            ],
            body: body.isEmpty ? nil : Array(body.utf8)
        )
        return try await transport.send(request)
    }

    /// Sends a request as the superuser; throws for an answer that is not one of success.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: String = "") async throws -> HTTPResponse {
        let result = try await answer(method, path, body)
        guard result.isSuccess else {
            throw ForeignServer.Failed(reason: String(decoding: result.body, as: UTF8.self))
        }
        return result
    }
}

extension PocketBase {
    /// Ends every token of the superuser, as a new password does.
    func withdrawTokens() async throws {
        let list = try await call("GET", "/api/collections/_superusers/records?fields=id")
        let items = try JSONObject.members(of: list.body[...]).first { $0.name == "items" }
        let rows = try Page.parse(Array(items?.json ?? []), idColumn: "id").rows
        let body = #"{"password":"\#(Self.password)","passwordConfirm":"\#(Self.password)"}"#
        try await call(
            "PATCH",
            "/api/collections/_superusers/records/\(rows.first?.id.description ?? "")",
            body
        )
        await token.forget()
    }

    /// Waits until a collection hears of every change.
    func becomesLive<Element>(_ collection: RemoteDataCollection<Element>) async throws {
        for await status in collection.liveStatuses where status.isLive { return }
    }
}

/// The superuser's token, which is asked for once.
private actor SuperuserToken {
    private var known: String?

    func forget() { known = nil }

    func text(_ url: String) async throws -> String {
        if let known { return known }
        let sign = HTTPRequest(
            "POST",
            url + "/api/collections/_superusers/auth-with-password",
            headers: ["Content-Type": "application/json"],
            body: Array(#"{"identity":"\#(PocketBase.email)","password":"\#(PocketBase.password)"}"#.utf8)
        )
        let answer = try await CurlTransport().send(sign)
        let members = try JSONObject.members(of: answer.body[...])
        guard let member = members.first(where: { $0.name == "token" }),
            case .text(let text)? = Value(json: member.json)
        else { throw ForeignServer.Failed(reason: "PocketBase gives no token") }
        known = text
        return text
    }
}
