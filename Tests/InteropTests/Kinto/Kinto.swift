import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork

/// A Kinto of its own for each test, with the account of a tester and a bucket of hers.
struct Kinto: Sendable {
    /// Where it keeps its rows.
    enum Place: String, CaseIterable, Sendable {
        case memory = "kinto-with-accounts"
        case postgreSQL = "kinto-on-postgresql"

        /// Those that can be had here.
        static let all = allCases.filter { $0 == .memory || hasPostgreSQL }

        /// What it promises.
        var storage: KintoStorage { self == .memory ? .memory : .postgreSQL }
    }

    /// Whether PostgreSQL is installed where Debian has it.
    static let hasPostgreSQL = FileManager.default.fileExists(atPath: "/usr/lib/postgresql")

    static let (name, password) = ("tester", "correct horse")
    static let bucket = "tests"

    let process: ForeignServer
    let server: KintoServer

    /// - Parameters:
    ///   - settings: Lines for the server's settings.
    ///   - place: Where it keeps its rows.
    ///   - storage: What the program is told of that; the truth unless given.
    ///   - pollInterval: How often it is asked for changes.
    ///   - populates: Whether there are an account and a bucket.
    /// - Throws: Whatever keeps it from starting.
    init(
        _ settings: [String] = [],
        in place: Place = .memory,
        storage: KintoStorage? = nil,
        pollInterval: Duration? = .milliseconds(500),
        populates: Bool = true
    ) async throws {
        process = try await ForeignServer(place.rawValue, saying: "Serving on") { port, folder in
            [folder, "\(port)"] + (place == .memory ? ["memory"] : []) + settings
        }
        server = try Self.server(process, storage: storage ?? place.storage, pollInterval: pollInterval)
        if populates { try await populate() }
    }

    /// Makes the account and the bucket, as after a start.
    func populate() async throws {
        try await Self.makeAccount(Self.name, at: process)
        try await call("PUT", "/buckets/\(Self.bucket)")
    }

    static func makeAccount(_ name: String, at process: ForeignServer) async throws {
        try await call(process, "PUT", "/accounts/\(name)", #"{"data":{"password":"\#(password)"}}"#, as: nil)
    }

    /// Changes the password of the tester's account.
    static func changePassword(to new: String, from old: String, at process: ForeignServer) async throws {
        let body = #"{"data":{"password":"\#(new)"}}"#
        let answer = try await answer(process, "PUT", "/accounts/\(name)", body, as: name, password: old)
        guard answer.isSuccess else { throw ForeignServer.Failed(reason: "\(answer.status)") }
    }

    /// A server object, such as another program's.
    static func server(
        _ process: ForeignServer,
        as account: KintoAuthentication? = KintoAuthentication(name, password: password),
        storage: KintoStorage = .memory,
        pollInterval: Duration? = .milliseconds(500),
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws -> KintoServer {
        try KintoServer(
            process.url,
            bucket: bucket,
            as: account,
            storage: storage,
            pollInterval: pollInterval,
            configuration: configuration
        )
    }

    /// Makes a collection.
    func table(_ name: String, mixedColumns: Set<ColumnPath> = []) async throws -> KintoTable {
        try await call("PUT", "/buckets/\(Self.bucket)/collections/\(name)")
        return server.table(name, mixedColumns: mixedColumns)
    }

    /// Sends a request as the tester, past everything that is tested.
    @discardableResult
    func call(_ method: String, _ path: String, _ body: String? = nil) async throws -> HTTPResponse {
        try await Self.call(process, method, path, body, as: Self.name)
    }

    /// Writes a row as another program would.
    func put(_ id: String, _ json: String, in table: String) async throws {
        try await call(
            "PUT",
            "/buckets/\(Self.bucket)/collections/\(table)/records/\(id)",
            #"{"data":\#(json)}"#
        )
    }

    /// Sends a request as the tester, past everything that is tested.
    ///
    /// - Returns: The answer, whatever its status.
    func answer(_ method: String, _ path: String, _ body: String? = nil) async throws -> HTTPResponse {
        try await Self.answer(process, method, path, body, as: Self.name)
    }

    private static func answer(
        _ process: ForeignServer,
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        as name: String?,
        password: String = Self.password
    ) async throws -> HTTPResponse {
        var request = HTTPRequest(method, process.url + "/v1" + path, body: body.map { Array($0.utf8) })
        if body != nil { request.headers["Content-Type"] = "application/json" }
        if let name {
            request.headers["Authorization"] =
                "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
        }
        var answer = try await CurlTransport().send(request)
        // PostgreSQL has stamped another write at the same moment.
        for _ in 0..<20 where answer.status == 409 { answer = try await CurlTransport().send(request) }
        return answer
    }

    @discardableResult
    static func call(
        _ process: ForeignServer,
        _ method: String,
        _ path: String,
        _ body: String? = nil,
        as name: String?
    ) async throws -> HTTPResponse {
        let answer = try await answer(process, method, path, body, as: name)
        guard answer.isSuccess else {
            throw ForeignServer.Failed(
                reason: "\(answer.status) " + String(decoding: answer.body, as: UTF8.self)
            )
        }
        return answer
    }
}
