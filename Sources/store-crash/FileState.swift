import Foundation
import RemoteData
import RemoteDataSQLite
import RemoteDataTesting

/// A file, and what is known to have been done to it.
struct FileState: Sendable {
    let path: String
    let seed: UInt64
    /// How many deeds have been said to be done.
    var done = 0
    /// Whether one more was found to be done than was said.
    private(set) var wasInFlight = false

    init(path: String, seed: UInt64) {
        (self.path, self.seed) = (path, seed)
    }

    /// Opens the file and compares it with what has to be there: what was said to be done, and maybe one deed more.
    mutating func check() async throws {
        guard FileManager.default.fileExists(atPath: path) else {
            guard done == 0 else { throw Failure(message: "\(path) is gone") }
            return
        }
        let store = try await LocalStore(path: path, relations: Victim.relations)
        guard try await store.isWhole() else { throw Failure(message: "\(path) is damaged") }
        var said = Model()
        for number in 0..<done { said.apply(Deed(seed: seed, number: number), number: number) }
        var more = said
        more.apply(Deed(seed: seed, number: done), number: done)
        let found = try await Contents(of: store)
        wasInFlight = found != Contents(said)
        if wasInFlight {
            guard found == Contents(more) else {
                throw Failure(
                    message: "\(path) after \(done) deeds: found \(found), expected \(Contents(said))"
                )
            }
            if case .cache = Deed(seed: seed, number: done) {} else { done += 1 }
        }
        try await checkCache(store, said.version)
        await store.close()
    }

    /// What was read from the server and written is shown without it.
    private func checkCache(_ store: LocalStore, _ version: Int) async throws {
        guard version > 0 else { return }
        let server = FaultyTable(try await Victim.server(version + 1))
        for call in FaultyTable.Call.allCases { server.fail(call) }
        let rows = try await RemoteDataCollection<Victim.RemoteRow>(table: server, cache: store)
        var seen: [Int] = []
        for try await row in rows.rows { seen.append(row.version) }
        var isRight = seen.count == Victim.remoteRows
        if case .cache = Deed(seed: seed, number: done) {
            // The next version may have come, or some of it.
            isRight = isRight && seen.allSatisfy { $0 == version || $0 == version + 1 }
        } else {
            isRight = isRight && seen.allSatisfy { $0 == version }
        }
        guard isRight else {
            throw Failure(message: "\(path) after \(done) deeds: version \(version) is shown as \(seen)")
        }
    }
}

/// What a store holds, apart from what is merely cached.
struct Contents: Equatable, CustomStringConvertible {
    var held: [String: [String]] = [:]
    var notes: [Int: Model.Note] = [:]
    var drafts: [Int: Int] = [:]

    private static let labels = ["a", "b", "c"]

    init(_ model: Model) {
        for label in Self.labels { held[label] = model.held(label) }
        (notes, drafts) = (model.notes, model.drafts)
    }

    init(of store: LocalStore) async throws {
        let request = PageRequest(Query(), limit: 1_000)
        for label in Self.labels {
            let notes = try await store.table("notes", label: label).page(request).rows
            let people = try await store.table("people", label: label).page(request).rows
            held[label] = notes.map { "note \($0.id)" }.sorted() + people.map { "person \($0.id)" }.sorted()
        }
        for row in try await store.table("notes").page(request).rows {
            guard let id = Int("\(row.id)"), case .integer(let number) = row["number"],
                case .text(let author) = row["author"], let author = Int(author)
            else { continue }
            notes[id] = Model.Note(author: author, number: Int(number))
        }
        for row in try await store.table("drafts").page(request).rows {
            guard let id = Int("\(row.id)"), case .integer(let number) = row["number"] else { continue }
            drafts[id] = Int(number)
        }
    }

    var description: String { "held \(held), notes \(notes), drafts \(drafts)" }
}
