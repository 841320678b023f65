import Foundation
import Testing

@Suite(.timeLimit(.minutes(5)))
struct ProgramTests {
    /// A folder that is gone after the body.
    private func withFolder(_ body: @escaping @Sendable (URL) throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await onThread { try body(folder) }
    }

    @Test func anAcknowledgedWriteSurvivesAKill() async throws {
        try await withFolder { folder in
            let arguments = ["--listen", "127.0.0.1:0", "--data", folder.path]
            for round in 1...3 {
                let program = try ChildProcess(arguments)
                let client = try TestConnection(port: try program.port())
                if round > 1 {
                    #expect(try client.ask("GET", "/api/data/t/count").text == "\(round - 1)")
                }
                let answer = try client.ask("POST", "/api/data/t", #"{"objectId":\#(round)}"#)
                #expect(answer.fields["table-revision"] == "\(round)")
                program.signal(SIGKILL)
                _ = try program.end()
            }
        }
    }

    @Test("A folder keeps its epoch, until the program is started with --new-epoch")
    func aFolderKeepsItsEpoch() async throws {
        try await withFolder { folder in
            var epochs: [String] = []
            for option in [[], [], ["--new-epoch"], []] {
                let program = try ChildProcess(["--listen", "127.0.0.1:0", "--data", folder.path] + option)
                let client = try TestConnection(port: try program.port())
                let answer = try client.ask("POST", "/api/data/t", "{}")
                #expect(answer.fields["table-revision"] == "\(epochs.count + 1)")
                epochs.append(answer.fields["table-epoch"] ?? "")
                program.signal(SIGTERM)
                _ = try program.end()
            }
            #expect(epochs[0].count == 8 && epochs[1] == epochs[0])
            #expect(epochs[2] != epochs[1] && epochs[3] == epochs[2])
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalFinishesWhatIsUnderWay(number: Int32) async throws {
        try await withFolder { folder in
            let program = try ChildProcess(["--listen", "127.0.0.1:0", "--data", folder.path])
            let port = try program.port()
            let listener = try TestConnection(socketAt: port)
            let clients = try (0..<8).map { _ in try TestConnection(port: port) }
            let rows = "[" + (0..<500).map { #"{"n":\#($0)}"# }.joined(separator: ",") + "]"
            for client in clients {
                try client.send(TestConnection.request("POST", "/api/data/bulk/t", rows))
            }
            let first = try clients[0].answer()
            program.signal(number)
            #expect(first.status == 200)
            // The others are answered, or told that the server stops, or were not read at all; none is cut
            // off.
            for client in clients.dropFirst() where try client.receive() {
                #expect([200, 503].contains(try client.answer().status))
            }
            #expect(try listener.closeCode() == 1001)
            let end = try program.end()
            #expect(end.code == 0)
            #expect(end.output == "")
        }
    }

    @Test func anImportedFileIsServedAndRequestsAreLogged() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "towns.csv")
            try Data("code,name,size\n\"A\",\"Aa\",5\n\"B\",\"\",\n\"A\",\"Ab\",6\n".utf8).write(to: file)
            let program = try ChildProcess([
                "--listen", "127.0.0.1:0", "--memory", "--import", file.path, "--id", "code",
            ])
            let client = try TestConnection(port: try program.port())
            let page = try client.ask("GET", "/api/data/towns?where=name%20%3C%3E%20''")
            #expect(page.text == #"[{"objectId":"A","code":"A","name":"Ab","size":6}]"#)
            program.signal(SIGTERM)
            let end = try program.end()
            #expect(end.code == 0)
            let lines = end.errors.split(separator: "\n")
            #expect(lines.first?.contains("1 rows of towns.csv have the id of an earlier one") == true)
            #expect(
                lines.last?.contains(" GET /api/data/towns?where=name%20%3C%3E%20'' 200 \(page.body.count) ")
                    == true
            )
        }
    }

    @Test func aFileWithoutIDsIsImportedOnce() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "towns.csv")
            try Data("name\na\nb\n".utf8).write(to: file)
            for round in 1...2 {
                let program = try ChildProcess([
                    "--listen", "127.0.0.1:0", "--data", folder.path, "--import", file.path, "--as", "t",
                    "--quiet",
                ])
                let client = try TestConnection(port: try program.port())
                #expect(try client.ask("GET", "/api/data/t/count").text == "2")
                program.signal(SIGTERM)
                #expect(try program.end().errors.contains("towns.csv is not imported again") == (round == 2))
            }
        }
    }

    @Test func theDefaultFolderIsInTheUsersDataFolder() async throws {
        try await withFolder { folder in
            let program = try ChildProcess(["--listen", "0"], environment: ["XDG_DATA_HOME": folder.path])
            let client = try TestConnection(port: try program.port())
            _ = try client.ask("POST", "/api/data/t", "{}")
            program.signal(SIGTERM)
            #expect(try program.end().code == 0)
            #if os(Linux)
            let file = folder.appending(path: "table-server/tables.sqlite")
            #expect(FileManager.default.fileExists(atPath: file.path))
            #endif
        }
    }

    @Test func theTokenOfAFileIsAskedFor() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "token")
            try Data("  secret\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            let program = try ChildProcess(["--listen", "0", "--memory", "--token-file", file.path])
            let client = try TestConnection(port: try program.port())
            #expect(try client.ask("GET", "/api/info").status == 401)
            #expect(try client.ask("GET", "/api/info", fields: ["user-token": "secret"]).status == 200)
            program.signal(SIGTERM)
            #expect(try program.end().errors.contains("warning: others can read"))
        }
    }

    @Test func theUsersOfAFileAreLetIn() async throws {
        try await withFolder { folder in
            let file = folder.appending(path: "users.json")
            let text =
                #"{"users":[{"id":"ann","token":"one"},{"id":"bob","token":"two"}],"newRows":"private","guests":"none"}"#
            try Data(text.utf8).write(to: file)
            let token = folder.appending(path: "token")
            try Data("all".utf8).write(to: token)
            for path in [file.path, token.path] {
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            }
            let program = try ChildProcess([
                "--listen", "0", "--memory", "--users", file.path, "--token-file", token.path,
            ])
            let client = try TestConnection(port: try program.port())
            _ = try client.ask("POST", "/api/data/t", "{}", fields: ["user-token": "one"])
            for (name, count) in [("one", "1"), ("two", "0"), ("all", "1")] {
                #expect(
                    try client.ask("GET", "/api/data/t/count", fields: ["user-token": name]).text == count
                )
            }
            #expect(try client.ask("GET", "/api/data/t/count").status == 401)
            program.signal(SIGTERM)
            let errors = try program.end().errors
            #expect(!errors.contains("warning"))
            #expect(!errors.contains("two"))
        }
    }

    @Test(arguments: [
        ["--nonsense"], ["--listen", "x"], ["--memory", "--data", "d"], ["--memory=3"],
        ["--listen", "0", "--listen", "0"],
    ])
    func badUsageExits2WithOneLine(arguments: [String]) async throws {
        try await onThread {
            let end = try ChildProcess(arguments).end()
            #expect(end.code == 2)
            #expect(end.output == "")
            #expect(end.errors.split(separator: "\n").count == 1)
        }
    }

    @Test func failuresExit1WithOneLineThatSaysWhatToDo() async throws {
        try await withFolder { folder in
            let bad = folder.appending(path: "bad.csv")
            try Data("a,b\n1\n".utf8).write(to: bad)
            let empty = folder.appending(path: "empty")
            try Data(" \n".utf8).write(to: empty)
            let users = folder.appending(path: "users.json")
            try Data(#"{"users":[{"id":"*","token":"hush"}]}"#.utf8).write(to: users)
            let open = folder.appending(path: "open.json")
            try Data(#"{"users":[]}"#.utf8).write(to: open)
            let server = try ChildProcess(["--listen", "0", "--memory"])
            let port = try server.port()
            let cases: [([String], String)] = [
                (["--memory", "--listen", "127.0.0.1:\(port)"], "in use"),
                (["--memory", "--listen", "0.0.0.0:0"], "--token-file FILE"),
                (["--memory", "--listen", "0.0.0.0:0", "--users", open.path], "--guests-may-write"),
                (["--memory", "--listen", "203.0.113.1:0", "--token-file", bad.path], "ASCII"),
                (["--memory", "--listen", "0", "--import", bad.path], "bad.csv: Line 2: "),
                (["--memory", "--listen", "0", "--import", "/nowhere.csv"], "/nowhere.csv cannot be opened"),
                (["--memory", "--token-file", "/nowhere"], "/nowhere is not there"),
                (["--memory", "--token-file", empty.path], "has to be one word"),
                (["--memory", "--users", "/nowhere"], "/nowhere is not there"),
                (["--memory", "--users", users.path], "users.json is wrong. users[0]: A user's id"),
                (["--data", bad.path + "/x", "--listen", "0"], "cannot be made"),
            ]
            for (arguments, message) in cases {
                let end = try ChildProcess(arguments).end()
                #expect(end.code == 1, "\(arguments)")
                #expect(end.output == "")
                let lines = end.errors.split(separator: "\n").filter { !$0.contains("warning") }
                #expect(lines.count == 1, "\(end.errors)")
                #expect(lines.first?.contains(message) == true, "\(end.errors)")
            }
            server.signal(SIGTERM)
            _ = try server.end()
        }
    }

    @Test func helpAndVersionArePrinted() async throws {
        try await onThread {
            let help = try ChildProcess(["--help"]).end()
            #expect(help.code == 0)
            #expect(help.output.hasPrefix("usage: table-server"))
            #expect(try ChildProcess(["--version"]).end().output.hasPrefix("table-server "))
        }
    }
}
