// Contacts and messages that have persons in common: a person comes online in one place, and both screens show it.
//
//     messenger                plays a few lines
//     messenger FILE           does what it reads, line by line, and has everything in a file for the next time
//
// See Models.swift for what a model needs, Messenger.swift for the screens.

import Foundation
import RemoteData
import RemoteDataSQLite

let words = Array(CommandLine.arguments.dropFirst())
guard words.count <= 1, words.first?.hasPrefix("-") != true else {
    FileHandle.standardError.write(Data("usage: messenger [FILE]\n".utf8))
    exit(2)
}

do {
    guard let path = words.first else {
        let messenger = Messenger(ModelSpace(cache: MemoryModelCache()))
        try await messenger.begin()
        for line in ["online ada", "say bob I may be late", "rename bob Bobby", "forget cy", "forget ada"] {
            Messenger.show("\n> \(line)")
            _ = await messenger.run(line)
        }
        exit(0)
    }
    let store = try await LocalStore(path: path)
    let messenger = Messenger(try ModelSpace(store: store))
    try await messenger.begin()
    Messenger.show("\n\(Messenger.usage)")
    while let line = readLine(), await messenger.run(line) {}
    await messenger.settled()
    await store.close()
} catch {
    FileHandle.standardError.write(Data("messenger: \(error.message)\n".utf8))
    exit(1)
}
