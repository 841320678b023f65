import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork

/// A stand-in for Backendless of its own for each test, in front of a `table-server`.
struct Backendless: Sendable {
    static let (login, password) = ("tester@example.com", "correct horse")
    static let path = "/APP-ID/API-KEY"

    /// The server behind, which others write to.
    let storage: ForeignServer
    let process: ForeignServer
    let comparesText: BackendlessTextComparison
    let server: BackendlessServer

    /// - Parameters:
    ///   - version: The version of Engine.IO.
    ///   - comparesText: How the library takes text to be compared; it is by its bytes.
    ///   - hasAccount: Whether it wants to know who asks.
    ///   - options: What else the stand-in is started with.
    /// - Throws: When a program does not run.
    init(
        version: Int = 4,
        comparesText: BackendlessTextComparison = .byBytes,
        hasAccount: Bool = false,
        options: String...
    ) async throws {
        let storage = try await ForeignServer("table-server", saying: "http://") { port, folder in
            ["--data", folder, "--listen", "127.0.0.1:\(port)", "--quiet"]
        }
        let account = hasAccount ? ["--login", Self.login, "--password", Self.password] : []
        process = try await ForeignServer("backendless-over-engine-io", saying: "http://") { port, _ in
            [
                "\(version)", "--port", "\(port)", "--app-id", "APP-ID", "--api-key", "API-KEY", "--upstream",
                storage.url,
            ]
                + account
                + options
        }
        (self.storage, self.comparesText) = (storage, comparesText)
        server = try Self.server(process.url + Self.path, hasAccount: hasAccount, comparesText)
    }

    static func server(
        _ url: String,
        hasAccount: Bool = false,
        _ comparesText: BackendlessTextComparison = .byBytes,
        _ configuration: RESTConfiguration = RESTConfiguration()
    ) throws -> BackendlessServer {
        var configuration = configuration
        configuration.treatsMissingTablesAsEmpty = true
        return try BackendlessServer(
            url,
            as: hasAccount ? BackendlessAuthentication(login, password: password) : nil,
            comparesText: comparesText,
            configuration: configuration
        )
    }
}

// MARK: - Past the library

extension Backendless {
    /// Sends a request to the server behind, as others do.
    ///
    /// - Returns: The answer, whatever its status.
    func answer(_ method: String, _ path: String, _ body: String = "") async throws -> HTTPResponse {
        let request = HTTPRequest(
            method,
            storage.url + "/api/data/" + path,
            headers: ["Content-Type": "application/json"],
            body: body.isEmpty ? nil : Array(body.utf8)
        )
        return try await CurlTransport().send(request)
    }

    /// The same; throws for an answer that is not one of success, and not 404 where there need not be a row.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: String = "", needsRow: Bool = true) async throws
        -> HTTPResponse
    {
        let result = try await answer(method, path, body)
        guard result.isSuccess || (!needsRow && result.status == 404) else {
            throw ForeignServer.Failed(reason: String(decoding: result.body, as: UTF8.self))
        }
        return result
    }

    /// Has the stand-in cause trouble; see the program.
    func control(_ orders: String) async throws {
        let url = process.url + "/__control"
        let answer = try await CurlTransport().send(HTTPRequest("POST", url, body: Array(orders.utf8)))
        guard answer.isSuccess else { throw ForeignServer.Failed(reason: "\(answer.status)") }
    }

    /// What the stand-in was asked for so far.
    func report() async throws -> Report {
        let answer = try await CurlTransport().send(HTTPRequest("GET", process.url + "/__control"))
        return try JSONDecoder().decode(Report.self, from: Data(answer.body))
    }

    struct Report: Decodable {
        struct Client: Decodable {
            let clientId: String
            let userToken: String?
        }

        struct Subscription: Decodable {
            struct Options: Decodable {
                let tableName: String
                let event: String
            }

            let id: String
            let options: Options
        }

        let lookups: Int
        let connections: Int
        let refused: Int
        let subscribed: Int
        let unsubscribed: Int
        let tokens: Int
        let clients: [Client]
        let subscriptions: [Subscription]
        let requests: [String: Int]
    }
}
