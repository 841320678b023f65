import Foundation
import RemoteDataSQLite
import RemoteDataTesting
import Testing

@testable import RemoteData
@testable import RemoteDataServer

/// What one client's query may cost the others.
@Suite(.timeLimit(.minutes(5))) struct QueryTimeTests {
    private static let heavy = #"{"where":"s MATCHES '(.{0,60}){0,60}Q'"}"#

    private static let query = TestConnection.request("POST", "/api/data/t/find", heavy)

    private static func fill(_ client: TestConnection) throws {
        let text = String(repeating: "x", count: 100_000)
        for id in 1...2 {
            let answer = try client.ask("PUT", "/api/data/t/upsert", #"{"objectId":\#(id),"s":"\#(text)"}"#)
            #expect(answer.status == 200)
        }
    }

    private func store(isFile: Bool, _ folder: URL) async throws -> any TableStore {
        if !isFile { return MemoryTableStore() }
        return try await SQLiteTableStore(path: folder.appending(path: "store.db").path())
    }

    private func withStore(
        isFile: Bool,
        configure: (inout TableServer.Configuration) -> Void,
        _ body: @escaping @Sendable (Int) throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await withServer(try await store(isFile: isFile, folder), configure: configure, body)
    }

    @Test("A query that takes longer than it may is answered with 503", arguments: [true, false])
    func tooLong(isFile: Bool) async throws {
        try await withStore(isFile: isFile) {
            $0.deadlines.query = .zero
        } _: { port in
            let client = try TestConnection(port: port)
            try Self.fill(client)
            let answer = try client.ask("POST", "/api/data/t/find", Self.heavy)
            #expect(answer.status == 503)
            #expect(answer.code == 1503)
            #expect(answer.message?.contains("more work") == true)
            #expect(answer.fields["retry-after"] != nil)
            #expect(try client.ask("GET", "/api/data/t/1").status == 200)
            #expect(try client.ask("PUT", "/api/data/u/upsert", #"{"objectId":1}"#).status == 200)
            #expect(try client.ask("GET", "/api/data/u?where=objectId%3D1").status == 200)
        }
    }

    @Test("A query ends with its client", arguments: [true, false])
    func hungUp(isFile: Bool) async throws {
        let log = Log()
        try await withStore(isFile: isFile) {
            $0.deadlines.query = .seconds(10_000)
            $0.deadlines.hangUp = .milliseconds(1)
            $0.log = { log.add($0) }
        } _: { port in
            let client = try TestConnection(port: port)
            try Self.fill(client)
            try TestConnection(port: port).send(Self.query)
            var answers: [RequestLog] = []
            while answers.isEmpty {
                // Another request's answer shows that time goes by.
                #expect(try client.ask("GET", "/api/data/t/1").status == 200)
                answers = log.entries.filter { $0.target.hasSuffix("find") }
            }
            #expect(answers.map(\.status) == [503])
        }
    }

    @Test("Beside more queries of much work than readers, others are answered", arguments: [true, false])
    func others(isFile: Bool) async throws {
        let log = Log()
        try await withStore(isFile: isFile) {
            $0.deadlines.query = .seconds(10_000)
            $0.deadlines.stop = .zero
            $0.log = { log.add($0) }
        } _: { port in
            let client = try TestConnection(port: port)
            try Self.fill(client)
            let guests = try (0..<4).map { _ in try TestConnection(port: port) }
            for guest in guests { try guest.send(Self.query) }
            for id in 1...2 {
                #expect(try client.ask("GET", "/api/data/t/1").status == 200)
                #expect(try client.ask("GET", "/api/data/t?where=objectId%3D2").status == 200)
                #expect(try client.ask("PUT", "/api/data/u/upsert", #"{"objectId":\#(id)}"#).status == 200)
            }
            // None of the four was answered before.
            #expect(!log.entries.contains { $0.target.hasSuffix("find") })
        }
    }

    @Test("A subscription whose clause takes too much work is ended with an error, and the others go on")
    func subscription() async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            try Self.fill(client)
            let socket = try TestConnection(socketAt: port)
            let clause = "s MATCHES '(.{0,60}){0,60}Q'"
            try socket.say(#"{"type":"subscribe","id":"heavy","table":"t","where":"\#(clause)"}"#)
            _ = try socket.hear(type: "subscribed")
            try socket.say(#"{"type":"subscribe","id":"other","table":"t","where":"objectId = 1"}"#)
            _ = try socket.hear(type: "subscribed")
            let text = String(repeating: "y", count: 20_000)
            _ = try client.ask("PUT", "/api/data/t/upsert", #"{"objectId":1,"s":"\#(text)"}"#)
            let frames = [try socket.hear(), try socket.hear()].sorted { $0.count < $1.count }
            #expect(frames[0].contains(#""id":"heavy""#))
            #expect(frames[0].contains(#""type":"error""#))
            #expect(frames[0].contains("steps"))
            #expect(frames[1].contains(#""id":"other""#))
            #expect(frames[1].contains(#""kind":"updated""#))
        }
    }
}
