import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataTesting
import Testing

/// What is told of changes that others make, through whatever happens to a server.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(3))) struct KintoFollowingTests {
    private static let path = "/buckets/\(Kinto.bucket)/collections/t"

    @Test func changesOfOthersAreTold() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        let all = Heard(try await table.subscribe(to: Query(), since: nil))
        let some = Heard(try await table.subscribe(to: Query(try Where("n > 5")), since: nil))
        #expect(await all.next() == "live")
        #expect(await some.next() == "live")
        try await kinto.put("a", #"{"n":7}"#, in: "t")
        #expect(await all.next() == "updated a")
        #expect(await some.next() == "updated a")
        try await kinto.put("a", #"{"n":1}"#, in: "t")
        #expect(await all.next() == "updated a")
        #expect(await some.next() == "left a")
        try await kinto.call("DELETE", Self.path + "/records/a")
        #expect(await all.next() == "deleted a")
        #expect(await some.next() == "deleted a")
    }

    /// The new collection's times are later than any of the old one's, and its removed rows are not told of.
    @Test func aCollectionMadeAnewIsNoticed() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        try await kinto.put("a", "{}", in: "t")
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await kinto.call("DELETE", Self.path)
        try await kinto.call("PUT", Self.path)
        #expect(await feed.waits(for: "reset"))
        #expect(await feed.next() == "live")
        try await kinto.put("b", "{}", in: "t")
        #expect(await feed.next() == "updated b")
    }

    @Test func aCollectionThatIsGoneComesBack() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await kinto.call("DELETE", Self.path)
        #expect(await feed.next() == "interrupted not found")
        try await kinto.call("PUT", Self.path)
        #expect(await feed.next(2) == ["reset", "live"])
    }

    /// From before the collection was made, nobody can resume.
    @Test func aRevisionOfAnEarlierCollectionIsReset() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        try await kinto.put("a", "{}", in: "t")
        let revision = try await table.count(nil).revision
        try await kinto.call("DELETE", Self.path)
        try await kinto.call("PUT", Self.path)
        try await kinto.put("b", "{}", in: "t")
        let other = try Kinto.server(kinto.process).table("t")
        let feed = Heard(try await other.subscribe(to: Query(), since: revision))
        #expect(await feed.next(2) == ["reset", "live"])
    }

    /// Kinto tells of no removed rows to whoever may see single rows alone.
    @Test func whoMaySeeSingleRowsMissesNothing() async throws {
        let kinto = try await Kinto()
        _ = try await kinto.table("t")
        try await Kinto.makeAccount("eve", at: kinto.process)
        let shared = #"{"data":{},"permissions":{"read":["account:eve"]}}"#
        for id in ["a", "b"] { try await kinto.call("PUT", Self.path + "/records/\(id)", shared) }
        try await kinto.put("hidden", "{}", in: "t")
        let eve = try Kinto.server(kinto.process, as: KintoAuthentication("eve", password: Kinto.password))
            .table("t")
        let feed = Heard(try await eve.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        #expect(try await eve.page(PageRequest(Query())).rows.map(\.id) == ["a", "b"])
        try await kinto.call("DELETE", Self.path + "/records/a")
        #expect(await feed.next(2) == ["reset", "live"])
        #expect(try await eve.page(PageRequest(Query())).rows.map(\.id) == ["b"])
    }

    /// Whoever may add rows sees the collection, and of its rows only those that are shared.
    @Test func whoMayAddRowsMissesNothing() async throws {
        let kinto = try await Kinto()
        try await Kinto.makeAccount("zoe", at: kinto.process)
        let open = #"{"permissions":{"record:create":["account:zoe"]}}"#
        try await kinto.call("PUT", Self.path, open)
        let shared = #"{"data":{},"permissions":{"read":["account:zoe"]}}"#
        for id in ["a", "b"] { try await kinto.call("PUT", Self.path + "/records/\(id)", shared) }
        let zoe = try Kinto.server(kinto.process, as: KintoAuthentication("zoe", password: Kinto.password))
            .table("t")
        let feed = Heard(try await zoe.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await kinto.call("DELETE", Self.path + "/records/a")
        #expect(await feed.next(2) == ["reset", "live"])
        #expect(try await zoe.page(PageRequest(Query())).rows.map(\.id) == ["b"])
    }

    @Test func aServerInMemoryForgetsEverything() async throws {
        let kinto = try await Kinto()
        let table = try await kinto.table("t")
        try await kinto.put("a", "{}", in: "t")
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        kinto.process.kill()
        #expect(await feed.next() == "interrupted unreachable")
        try await kinto.process.start()
        try await kinto.populate()
        _ = try await kinto.table("t")
        #expect(await feed.waits(for: "reset"))
        #expect(await feed.next() == "live")
        try await kinto.put("b", "{}", in: "t")
        #expect(await feed.next() == "updated b")
    }
}

// MARK: - Over a database

extension KintoFollowingTests {
    @Test(.enabled(if: Kinto.hasPostgreSQL)) func aServerThatIsKilledLosesNothing() async throws {
        let kinto = try await Kinto(in: .postgreSQL)
        let table = try await kinto.table("t")
        try await kinto.put("a", "{}", in: "t")
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        try await kinto.put("b", "{}", in: "t")
        #expect(await feed.next() == "updated b")
        kinto.process.kill()
        #expect(await feed.next() == "interrupted unreachable")
        try await kinto.process.start()
        try await kinto.put("c", "{}", in: "t")
        #expect(await feed.next(2) == ["live", "updated c"])
    }

    /// A transaction stamps its row when it begins, and shows it when it ends; what was stamped later is told meanwhile.
    @Test(.enabled(if: Kinto.hasPostgreSQL)) func aTransactionThatEndsLateIsTold() async throws {
        let kinto = try await Kinto(in: .postgreSQL)
        let table = try await kinto.table("t")
        let feed = Heard(try await table.subscribe(to: Query(), since: nil))
        #expect(await feed.next() == "live")
        let database = try Database(kinto.process.folder)
        try database.say("begin;")
        try database.say(
            "insert into objects(id, parent_id, resource_name, data, deleted) values('late', '\(Self.path)', 'record', '{}', false);"
        )
        _ = try database.ask("select 'stamped';")
        try await kinto.put("next", "{}", in: "t")
        #expect(await feed.next() == "updated next")
        try database.say("commit;")
        #expect(await feed.next() == "updated late late")
        try await kinto.put("last", "{}", in: "t")
        #expect(await feed.next() == "updated last")
    }
}

/// A session with the database of a server.
private final class Database {
    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())

    init(_ folder: URL) throws {
        let programs = try FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql").sorted()
        process.executableURL = URL(fileURLWithPath: "/usr/lib/postgresql/\(programs.last ?? "")/bin/psql")
        process.arguments = [
            "-h", folder.appending(path: "postgresql").path, "-U", "kinto", "-d", "postgres", "-qAt",
        ]
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    func say(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((text + "\n").utf8))
    }

    /// Says something and waits for what is answered, and so until all that was said before is done.
    func ask(_ text: String) throws -> Data {
        try say(text)
        return output.fileHandleForReading.availableData
    }
}
