import Foundation
import ProgramTesting
import Testing

/// The program `live-table` on the servers of others: the same commands on all.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(3))) struct LiveTableTests {
    private let accounts = FileManager.default.temporaryDirectory.appending(
        path: "interop-\(UUID().uuidString)"
    )

    /// - Parameters:
    ///   - table: The table's address.
    ///   - name: Who the program is.
    ///   - password: Its password.
    ///   - ids: Ids that the server takes, in order.
    /// - Throws: When a program does not run.
    private func tryEverything(_ table: String, _ name: String, _ password: String, ids: [String])
        async throws
    {
        try Data("\(name)\n\(password)\n".utf8).write(to: accounts)
        defer { try? FileManager.default.removeItem(at: accounts) }
        func run(_ words: String...) async throws -> String {
            let end = try await Program.run(
                "live-table",
                [table] + words + ["--account-file", accounts.path]
            )
            #expect(end.status == 0, "\(words): \(end.errors)")
            return end.output
        }
        let rows = zip(ids, ["Ann", "Bob", "Cy"]).enumerated().map {
            #"{"\#(idColumn(table))":"\#($1.0)","name":"\#($1.1)","age":\#($0 + 30)}"#
        }
        let watching = try Program("live-table", [table, "watch", "--account-file", accounts.path])
        #expect(try await watching.line().contains("watching"))
        _ = try await run("add", "[\(rows.joined(separator: ","))]")
        // Changes that come close after each other may come as one.
        var unseen = Set(ids)
        while !unseen.isEmpty {
            let line = try await watching.line()
            if line.contains("created") { unseen = unseen.filter { !line.contains("\"\($0)\"") } }
        }
        #expect(try await run("count") == "3\n")
        #expect(try await run("count", "--where", "name like 'B%'") == "1\n")
        _ = try await run("update", ids[1], #"{"age":51}"#)
        _ = try await run("remove", ids[0])
        let list = ["list", "--sort", "age desc nulls first", "--columns", "name,age", "--format", "csv"]
        let end = try await Program.run("live-table", [table] + list + ["--account-file", accounts.path])
        #expect(end.output == "name,age\r\nBob,51\r\nCy,32\r\n", "\(end.errors)")
        var heard = ""
        while !heard.contains("deleted") { heard = try await watching.line() }
        #expect(heard.contains(ids[0]))
        watching.signal(SIGTERM)
        #expect(try await watching.end().status == 0)
        _ = try await run("remove-all", "--yes")
        #expect(try await run("count") == "0\n")
    }

    private func idColumn(_ table: String) -> String { table.hasPrefix("backendless:") ? "objectId" : "id" }

    @Test func onPocketBase() async throws {
        let pocketBase = try await PocketBase()
        let fields = #"{"name":"name","type":"text"},{"name":"age","type":"number"}"#
        try await pocketBase.call(
            "POST",
            "/api/collections",
            #"{"name":"people","type":"base","fields":[\#(fields)]}"#
        )
        try await tryEverything(
            "pocketbase:\(pocketBase.process.url)/people",
            "_superusers/" + PocketBase.email,
            PocketBase.password,
            ids: ["a", "b", "c"].map { String(repeating: $0, count: 15) }
        )
    }

    @Test(arguments: Kinto.Place.all) func onKinto(place: Kinto.Place) async throws {
        let kinto = try await Kinto(in: place)
        _ = try await kinto.table("people")
        try await tryEverything(
            "kinto:\(kinto.process.url)/v1/\(Kinto.bucket)/people",
            Kinto.name,
            Kinto.password,
            ids: ["a", "b", "c"]
        )
    }

    @Test func onBackendless() async throws {
        let backendless = try await Backendless(hasAccount: true)
        try await backendless.call("POST", "people", #"{"objectId":"x","name":"","age":0}"#)
        try await backendless.call("DELETE", "people/x")
        try await tryEverything(
            "backendless:\(backendless.process.url)\(Backendless.path)/people",
            Backendless.login,
            Backendless.password,
            ids: ["a", "b", "c"]
        )
    }
}
