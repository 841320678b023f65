import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataTesting

/// Starts a server and two clients, kills one of them, looks at what it left, and starts it again.
struct Campaign {
    struct Failure: Error, CustomStringConvertible { let description: String }

    private let kills: Int
    private let seed: UInt64
    private let folder = FileManager.default.temporaryDirectory.appending(
        path: "sync-crash-\(UUID().uuidString)"
    )

    init(kills: Int, seed: UInt64) { (self.kills, self.seed) = (kills, seed) }

    /// What is known of a client.
    private struct Known {
        var child: Child
        var model = Model()
        /// What it said it was about to do, and not that it had done it.
        var doing: Deed?
        /// Whether it waits to be killed.
        var isIdle = false
        var deeds = 0
        var kills = 0
    }

    func run() async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var random = SeededGenerator(seed: seed)
        var (server, url) = try startServer("127.0.0.1:0")
        var clients = try ["A", "B"].map { Known(child: try startClient($0, url, 0)) }
        defer {
            _ = try? server.kill()
            for client in clients { _ = try? client.child.kill() }
            try? FileManager.default.removeItem(at: folder)
        }
        for index in clients.indices { try becomeReady(&clients[index]) }
        var serverKills = 0
        for _ in 0..<kills {
            let victim = Int.random(in: 0..<3, using: &random)
            let deeds = Int.random(in: 0..<15, using: &random)
            let watched = victim < 2 ? victim : Int.random(in: 0..<2, using: &random)
            try follow(&clients[watched], deeds)
            usleep(UInt32.random(in: 0..<20_000, using: &random))
            if victim == 2 {
                serverKills += 1
                _ = try server.kill()
                (server, url) = try startServer(String(url.dropFirst("http://".count)))
            } else {
                for line in try clients[victim].child.kill() { try note(line, &clients[victim]) }
                clients[victim].kills += 1
                clients[victim].child = try startClient(victim == 0 ? "A" : "B", url, clients[victim].kills)
                try becomeReady(&clients[victim])
            }
        }
        try await finish(&clients, url)
        let deeds = clients.map(\.deeds).reduce(0, +)
        print(
            "\(kills) kills, \(serverKills) of them of the server, \(deeds) writes: each was made once, and nothing was lost"
        )
    }

    // MARK: Children

    private func startServer(_ address: String) throws -> (Child, String) {
        let child = try Child(
            "table-server",
            ["--listen", address, "--data", folder.path, "--quiet"]
        )
        guard let url = try child.line() else { throw Failure(description: "The server did not start.") }
        return (child, url)
    }

    // One without a number of lives writes nothing.
    private func startClient(_ name: String, _ url: String, _ life: Int?) throws -> Child {
        let file = folder.appending(path: "\(name).db").path
        guard let life else { return try Child("sync-crash", ["--client", file, url, name]) }
        let seed = seed &* 1_000_003 &+ UInt64(life) &* 2 &+ (name == "A" ? 0 : 1)
        return try Child("sync-crash", ["--client", file, url, name, "\(seed)"])
    }

    /// Reads what a client has at its start, which has to be what it has done.
    private func becomeReady(_ client: inout Known) throws {
        var found = Model()
        while let line = try client.child.line(), line != "ready" {
            let words = line.split(separator: " ").map(String.init)
            guard words.first == "has", let deed = Deed(Array(words.dropFirst())) else {
                throw Failure(description: "A client says: \(line)")
            }
            found.take(deed)
        }
        var more = client.model
        if let doing = client.doing { more.take(doing) }
        guard found == client.model || found == more else {
            throw Failure(description: "seed \(seed): a client has \(found.difference(from: more))")
        }
        (client.model, client.doing, client.isIdle) = (found, nil, false)
    }

    /// Reads on until a client has done so much more, or waits.
    private func follow(_ client: inout Known, _ deeds: Int) throws {
        let goal = client.deeds + deeds
        while client.deeds < goal, !client.isIdle, let line = try client.child.line() {
            try note(line, &client)
        }
    }

    private func note(_ line: String, _ client: inout Known) throws {
        let words = line.split(separator: " ").map(String.init)
        switch words.first {
        case "will": client.doing = Deed(Array(words.dropFirst()))
        case "did":
            guard let deed = client.doing.take() else { throw Failure(description: "done without a word") }
            client.model.take(deed)
            client.deeds += 1
        case "idle": client.isIdle = true
        default: throw Failure(description: "A client says: \(line)")
        }
    }

    // MARK: The end

    private func finish(_ clients: inout [Known], _ url: String) async throws {
        var (expected, seen) = (Model(), [Model]())
        for index in clients.indices {
            try clients[index].child.tell("end")
            while let line = try clients[index].child.line() {
                if line.hasPrefix("sees") || line.hasPrefix("refused") || line == "end" {
                    guard !line.hasPrefix("refused") else {
                        throw Failure(description: "seed \(seed): \(line)")
                    }
                    break
                }
                try note(line, &clients[index])
            }
            expected.merge(clients[index].model)
        }
        // What the other one wrote last may have come after the first look.
        for index in clients.indices {
            _ = try clients[index].child.kill()
            let child = try startClient(index == 0 ? "A" : "B", url, nil)
            clients[index].child = child
            try child.tell("end")
            seen.append(try view(of: child))
        }
        let there = try await serverRows(url)
        guard there == expected else {
            throw Failure(description: "seed \(seed): the server has \(there.difference(from: expected))")
        }
        for view in seen where view != expected {
            throw Failure(description: "seed \(seed): a client sees \(view.difference(from: expected))")
        }
        try await checkLog(url)
    }

    private func view(of child: Child) throws -> Model {
        var model = Model()
        while let line = try child.line(), line != "end" {
            let words = line.split(separator: " ").map(String.init)
            if words.first == "sees", let deed = Deed(Array(words.dropFirst())) { model.take(deed) }
        }
        return model
    }

    private func serverRows(_ url: String) async throws -> Model {
        var model = Model()
        for kind in Kind.allCases {
            let table = try RESTTable("\(url)/\(kind)")
            for try await thing in try await RemoteDataCollection<Thing>(table: table).rows {
                model.take(.add(kind, thing))
            }
        }
        return model
    }

    /// The server's log tells of each row that it came to be once.
    private func checkLog(_ url: String) async throws {
        for kind in Kind.allCases {
            let table = try RESTTable("\(url)/\(kind)")
            var (created, revision) = ([RowID: Int](), Revision.zero)
            while true {
                let batch = try await table.changes(since: revision, limit: 1_000)
                for change in batch.changes where change.kind == .created {
                    if let id = change.id { created[id, default: 0] += 1 }
                }
                revision = batch.revision
                if batch.isComplete { break }
            }
            for (id, count) in created where count > 1 {
                throw Failure(description: "seed \(seed): \(kind)/\(id) was created \(count) times")
            }
        }
    }
}
