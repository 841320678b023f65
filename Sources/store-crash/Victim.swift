import Foundation
import RemoteData
import RemoteDataSQLite

/// The program that is killed: it does one deed after another and says when each is done.
struct Victim: Sendable {
    let path: String
    let seed: UInt64

    static let relations: [Relation] = [.toOne("author", of: "notes", in: "people")]
    static let people = 5
    static let remoteRows = 40

    struct RemoteRow: Codable, Identifiable, Sendable {
        var id: String
        var version: Int
    }

    /// Does deeds until it is killed.
    func run(from first: Int) async throws {
        let store = try await LocalStore(path: path, relations: Self.relations)
        if first == 0 {
            let drafts = try (0..<Self.people).map { try Self.draft("{\"objectId\":\"\($0)\"}") }
            _ = try await store.table("people").commit(.upsert(drafts))
        }
        var model = Model()
        for number in 0..<first { model.apply(Deed(seed: seed, number: number), number: number) }
        var number = first
        while true {
            let deed = Deed(seed: seed, number: number)
            try await perform(deed, number, model, store)
            model.apply(deed, number: number)
            Self.say("\(number)")
            number += 1
        }
    }

    private func perform(_ deed: Deed, _ number: Int, _ model: Model, _ store: LocalStore) async throws {
        let drafts = try store.table("drafts")
        switch deed {
        case .pin(let note, let author, let label):
            let row = try Self.row("{\"objectId\":\"\(note)\",\"author\":\"\(author)\",\"number\":\(number)}")
            try await store.pinAll([row], in: "notes", label: label)
        case .unpin(let note, let label):
            try await store.unpinAll([RowID.text("\(note)")], in: "notes", label: label)
        case .unpinAll(let label): try await store.unpinAll(label: label)
        case .write(let draft):
            _ = try await drafts.commit(
                .upsert([Self.draft("{\"objectId\":\"\(draft)\",\"number\":\(number)}")])
            )
        case .delete(let draft): _ = try await drafts.commit(.deleteAll(Self.isID(draft)))
        case .cache: try await readRemote(version: model.version + 1, store)
        }
    }

    /// Reads a server's table, which has had a number of versions, through the cache.
    private func readRemote(version: Int, _ store: LocalStore) async throws {
        let server = try await Self.server(version)
        let rows = try await RemoteDataCollection<RemoteRow>(table: server, cache: store)
        // What is kept is compared with the server first, or the changes since are told.
        for await status in rows.liveStatuses { if case .live = status { break } }
        try await rows.populate()
        var seen = Set<Int>()
        for try await row in rows.rows { seen.insert(row.version) }
        guard seen == [version] else { throw Failure(message: "version \(version) was read as \(seen)") }
        await store.flush()
    }

    /// A server whose table has had some versions of all its rows, each with revisions of its own.
    static func server(_ version: Int) async throws -> MemoryTable {
        let server = MemoryTable("remote", logCapacity: 100)
        for version in 1...max(1, version) {
            let drafts = try (0..<remoteRows)
                .map { try draft("{\"objectId\":\"r\(100 + $0)\",\"version\":\(version)}") }
            _ = try await server.commit(.upsert(drafts))
        }
        return server
    }

    /// Brings a file up to date, and says so.
    static func migrate(_ path: String) async throws {
        say("0")
        _ = try await LocalStore(path: path)
        say("1")
    }

    /// Writes and pins rows one by one, and says so at the end.
    static func write(_ path: String, _ name: String, _ count: Int) async throws {
        let store = try await LocalStore(path: path, relations: relations)
        for number in 0..<count {
            let id = "\(name)\(number)"
            _ = try await store.table("drafts").commit(.create([draft("{\"objectId\":\"\(id)\"}")]))
            let note = try row("{\"objectId\":\"\(id)\",\"author\":\"shared\"}")
            try await store.pinAll([note], in: "notes", label: number % 2 == 0 ? "shared" : name)
        }
        await store.close()
        say("\(count)")
    }

    static func draft(_ json: String) throws -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "objectId")
    }

    static func row(_ json: String) throws -> Row {
        try Row.parse(Array(json.utf8)[...], idColumn: "objectId")
    }

    private static func isID(_ number: Int) -> Where {
        .comparison(.column("objectId"), .equal, .literal(.text("\(number)")))
    }

    private static func say(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }
}

struct Failure: Error, CustomStringConvertible {
    let message: String

    var description: String { message }
}
