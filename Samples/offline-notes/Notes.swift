import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataSQLite

/// The notes of a server, with what is kept of them here.
struct Notes: Sendable {
    let server: RESTTable
    let store: LocalStore

    func run(_ command: Command) async throws(RemoteDataError) {
        switch command {
        case .list(let clause): try await list(clause)
        case .follow: try await follow()
        case .pin(let clause):
            let notes = try await collection(clause)
            var wanted: [Note] = []
            for try await note in notes.rows { wanted.append(note) }
            try await store.pinAll(wanted, in: server.name, label: "desk")
            say("\(wanted.count) notes are on the desk")
        case .desk(let clause): try await showDesk(clause)
        }
    }

    private func collection(_ clause: String = "") async throws(RemoteDataError) -> RemoteDataCollection<Note>
    {
        try await RemoteDataCollection(table: server, where: clause, sort: "stars desc", cache: store)
    }

    /// Shows what was kept, and asks the server for the rest, if it can be reached.
    private func list(_ clause: String) async throws(RemoteDataError) {
        let notes = try await collection(clause)
        say("\(notes.count) notes")
        for try await note in notes.rows { show(note) }
    }

    /// Shows what was kept, and then what has changed since and goes on changing, until it is interrupted.
    private func follow() async throws(RemoteDataError) {
        let notes = try await collection()
        let changes = notes.changes
        say("\(notes.count) notes")
        for try await note in notes.rows { show(note) }
        for await change in changes where change.type != .dataLoaded {
            say("\(change.type): \(change.ids.map(\.description).joined(separator: ", "))")
            for note in change.rows where change.type != .deleted { show(note) }
        }
    }

    /// Asks the file alone.
    private func showDesk(_ clause: String) async throws(RemoteDataError) {
        let desk = try await RemoteDataCollection<Note>(
            table: try store.table(server.name, label: "desk"),
            where: clause,
            sort: "stars desc"
        )
        say("\(desk.count) notes on the desk; nobody was asked")
        for try await note in desk.rows { show(note) }
    }

    private func show(_ note: Note) { say("   \(note.stars) stars  \(note.text) (\(note.author))") }
}

/// Writes a line at once, also to a program.
func say(_ line: String) { try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8)) }
