import Foundation
import RemoteData

/// `table-server`, asked by libcurl, which takes as little as can be.
struct ServerBenchmarks {
    let rows: Int
    let rounds: Int

    func run(_ report: inout Report) throws {
        for size in [1_000, 100] {
            report.add(
                "\(rows) rows from table-server, \(size) a page (target for 1000: half as fast as the same bytes from memory)",
                try pages(of: size)
            )
        }
        let count = min(rows, 20_000)
        report.add(
            "\(count) durable writes by 64 clients of table-server (target: 20000 a second)",
            try writes(count)
        )
    }

    private func pages(of size: Int) throws -> [Measurement] {
        let servers = [
            ("table-server, in memory", try LocalServer(rows: rows)),
            ("table-server, in a file", try LocalServer(rows: rows, isDurable: true)),
            ("the same bytes, from memory", try LocalServer.pages(rows: rows)),
        ]
        defer { for (_, server) in servers { server.stop() } }
        var contest = Contest()
        for (name, server) in servers {
            let curl = try CurlLoop()
            let urls = stride(from: 0, to: rows, by: size).map { start in
                let page = "\(server.url)/api/data/people?pageSize=\(size)"
                return start == 0 ? page : page + "&after=%5B%22\(Person(start - 1).objectId)%22%5D"
            }
            contest.add(name) {
                let before = curl.received
                for url in urls { try curl.get(url) }
                return "\((curl.received - before) / 1_000) kB"
            }
        }
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let raw = try RawSQLite(path: folder.appending(path: "people.db").path)
        try raw.insertJSON(of: rows)
        contest.add("sqlite3, by hand, the same rows read, but not sent") {
            var count = 0
            for start in stride(from: 0, to: rows, by: size) {
                var page: [UInt8] = []
                page.reserveCapacity(size * 170)
                count += try raw.appendPage(
                    behind: start == 0 ? "" : Person(start - 1).objectId,
                    size,
                    to: &page
                )
            }
            guard count == rows else { throw UsageError(message: "\(count) rows were read") }
            return ""
        }
        return try contest.run(rounds: rounds)
    }

    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private func writes(_ count: Int) throws -> [Measurement] {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = try LocalServer(rows: 1, isDurable: true)
        defer { server.stop() }
        let raw = try RawSQLite(path: folder.appending(path: "people.db").path)
        var contest = Contest()
        let sockets = try SocketClients(64, url: server.url)
        var prepared = try rounds(of: count, from: 1_000_000).map { people in
            try people.map { SocketClients.post(Array(try JSONEncoder().encode($0)), to: Self.path) }
        }
        contest.add("table-server, 64 bare sockets") {
            guard let requests = prepared.popLast() else { throw UsageError(message: "no write is left") }
            try sockets.send(requests)
            return ""
        }
        for clients in [64, 1] {
            let loop = try CurlMultiLoop(clients)
            let number = clients == 1 ? count / 10 : count
            var prepared = try rounds(of: number, from: clients * 10_000_000).map { people in
                try people.map { person in
                    let body = String(decoding: try JSONEncoder().encode(person), as: UTF8.self)
                    return (url: server.url + Self.path, body: String?.some(body))
                }
            }
            contest.add("table-server, \(clients == 1 ? "one client" : "64 clients") of libcurl") {
                guard let requests = prepared.popLast() else { throw UsageError(message: "no write is left") }
                try loop.send(requests)
                return clients == 1 ? "a tenth of them" : ""
            }
        }
        var next = 0
        contest.add("sqlite3, by hand, a transaction each") {
            for number in next..<(next + count / 10) { try raw.insert([Person(number)][...]) }
            next += count / 10
            return "a tenth of them"
        }
        return try contest.run(rounds: rounds).map { result in
            var result = result
            let number = result.note.isEmpty ? count : count / 10
            result.note +=
                (result.note.isEmpty ? "" : "; ") + "\(Int(Double(number) / result.median)) a second"
            return result
        }
    }

    private static let path = "/api/data/people"

    /// People for each round, and one to warm up.
    private func rounds(of count: Int, from first: Int) -> [[Person]] {
        (0...rounds).map { round in (0..<count).map { Person(first + round * count + $0) } }
    }
}
