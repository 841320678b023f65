import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataSQLite
import RemoteDataTesting

/// A client that writes rows of its own, and says what it is about to do and what it has done.
///
/// Told `end`, it writes no more, waits until it is in step with the server, and says what it has.
struct Client: Sendable {
    let file: String
    let url: String
    let name: String
    /// What it writes follows from it; nil to write nothing.
    let seed: UInt64?

    /// How much it does before it waits to be killed.
    private static let deedLimit = 60

    func run() async throws {
        let store = try await LocalStore(path: file)
        let tables = try await makeTables(store)
        for (kind, thing) in try await things(tables) where thing.id.hasPrefix(name) {
            say("has \(Deed.add(kind, thing).words)")
        }
        say("ready")
        let writing = Task { try await write(tables) }
        while let line = readLine(), line != "end" {}
        writing.cancel()
        try? await writing.value
        try await finish(store, tables)
    }

    private func makeTables(_ store: LocalStore) async throws -> [Kind: SyncedTable] {
        var configuration = RESTConfiguration()
        (configuration.attempts, configuration.deadline) = (1, .seconds(10))
        let server = try RESTServer(url, configuration: configuration)
        var options = SyncOptions()
        options.rate = .every(.milliseconds(200))
        let lists = try await SyncedTable("lists", in: store, remote: server.table("lists"), options: options)
        options.parent = SyncOptions.Parent("list", in: "lists", cascade: .client)
        let items = try await SyncedTable("items", in: store, remote: server.table("items"), options: options)
        return [.lists: lists, .items: items]
    }

    private func things(_ tables: [Kind: SyncedTable]) async throws -> [(Kind, Thing)] {
        var things: [(Kind, Thing)] = []
        for kind in Kind.allCases {
            guard let table = tables[kind] else { continue }
            for try await thing in try await RemoteDataCollection<Thing>(table: table).rows {
                things.append((kind, thing))
            }
        }
        return things
    }

    // MARK: Writing

    private func write(_ tables: [Kind: SyncedTable]) async throws {
        var model = Model()
        for (kind, thing) in try await things(tables) where thing.id.hasPrefix(name) {
            model.take(.add(kind, thing))
        }
        guard let seed else { return }
        var random = SeededGenerator(seed: seed)
        for _ in 0..<Self.deedLimit {
            try Task.checkCancellation()
            let deed = deed(model, &random)
            say("will \(deed.words)")
            try await carryOut(deed, tables)
            model.take(deed)
            say("did")
        }
        say("idle")
    }

    private func deed(_ model: Model, _ random: inout SeededGenerator) -> Deed {
        let mark = Int.random(in: 1..<1_000_000_000, using: &random)
        let id = "\(name)-\(mark)"
        let kind: Kind = Bool.random(using: &random) ? .lists : .items
        let known = model[kind].keys.sorted().randomElement(using: &random)
        let list = model.lists.keys.sorted().randomElement(using: &random)
        switch (Int.random(in: 0..<10, using: &random), known, list) {
        case (0..<4, _, nil), (0..<2, _, _): return .add(.lists, Thing(id: id, list: "", mark: mark))
        case (2..<6, _, let list?): return .add(.items, Thing(id: id, list: list, mark: mark))
        case (6..<9, let known?, _): return .mark(kind, id: known, mark)
        case (_, let known?, _): return .remove(kind, id: known)
        default: return .add(.lists, Thing(id: id, list: "", mark: mark))
        }
    }

    private func carryOut(_ deed: Deed, _ tables: [Kind: SyncedTable]) async throws {
        switch deed {
        case .add(let kind, let thing): try await tables[kind]?.add(thing)
        case .mark(let kind, let id, let mark):
            let patch = Array("{\"mark\":\(mark)}".utf8)[...]
            try await tables[kind]?.write(.update(.text(id), patch: patch))
        case .remove(let kind, let id): try await tables[kind]?.write(.delete(.text(id)))
        }
    }

    // MARK: The end

    private func finish(_ store: LocalStore, _ tables: [Kind: SyncedTable]) async throws {
        // Removals may follow from what is acknowledged.
        while let write = try await store.outbox.pending(limit: 1).first {
            do throws(RemoteDataError) {
                try await store.outbox.write(write.id).acknowledged(within: .seconds(60))
            } catch {
                guard error.code != .timedOut else { throw error }
                say("refused \(write): \(error.message)")
            }
        }
        for item in try await store.outbox.deadLetters() { say("refused \(item)") }
        for item in try await store.outbox.rejected() { say("refused \(item)") }
        for table in tables.values { try await table.pull() }
        for (kind, thing) in try await things(tables) { say("sees \(Deed.add(kind, thing).words)") }
        await store.close()
        say("end")
    }
}

/// Writes a line at once.
func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }
