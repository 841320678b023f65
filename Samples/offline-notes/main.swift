// Notes that are there without the server too: what was read is kept in a file, what is pinned stays. Samples/tour shows it with
// a server that stops and comes back; by hand:
//
//     offline-notes http://127.0.0.1:8080/notes notes.db list
//     offline-notes http://127.0.0.1:8080/notes notes.db follow
//     offline-notes http://127.0.0.1:8080/notes notes.db pin "stars > 3"
//     offline-notes http://127.0.0.1:8080/notes notes.db desk "text like '%milk%'"

import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataSQLite

let words = Array(CommandLine.arguments.dropFirst())
let usage = """
    usage: offline-notes URL/TABLE FILE \(Command.usage)

      list [CLAUSE]  the notes: those kept in FILE, and the others from the server if it can be reached
      follow         the same, and then what changes, until Ctrl-C
      pin CLAUSE     keeps these notes in FILE for good
      desk [CLAUSE]  the notes that were pinned; the server is not asked
    """
if words.first == "help" || !Set(words).isDisjoint(with: ["--help", "-h"]) {
    say(usage)
    exit(0)
}
guard words.count >= 3, let command = Command(words[2], Array(words[3...])) else {
    FileHandle.standardError.write(Data("\(usage)\n".utf8))
    exit(2)
}

do {
    let server = try RESTTable(words[0])
    let store = try await LocalStore(path: words[1])
    try await Notes(server: server, store: store).run(command)
    // Writes what has been read; a program that runs on need not do that.
    await store.close()
} catch {
    FileHandle.standardError.write(Data("offline-notes: \(error.message)\n".utf8))
    exit(1)
}
