// Contacts and messages that have persons in common: a person comes online in one place, and both screens show it.
//
//     messenger                shows what happens, with a few lines that it plays by itself
//     messenger FILE           does what is typed, line by line, and keeps everything in the file
//
// See Models.swift for what a model needs, Messenger.swift for the screens.

import Foundation
import RemoteData
import RemoteDataSQLite

let words = Array(CommandLine.arguments.dropFirst())
let usage = """
    usage: messenger          plays a few lines by itself: what changes on one screen changes on the other
           messenger FILE     does what is typed, and keeps everything in FILE for the next time

    What can be typed: \(Messenger.usage)
    """
if words.first == "help" || !Set(words).isDisjoint(with: ["--help", "-h"]) {
    Messenger.show(usage)
    exit(0)
}
guard words.count <= 1, words.first?.hasPrefix("-") != true else {
    FileHandle.standardError.write(Data("\(usage)\n".utf8))
    exit(2)
}

do {
    guard let path = words.first else {
        let messenger = Messenger(ModelSpace(cache: MemoryModelCache()))
        try await messenger.begin()
        for line in ["online ada", "say bob I may be late", "rename bob Bobby", "forget cy", "forget ada"] {
            Messenger.show("\n-- what follows \"\(line)\":")
            _ = await messenger.run(line)
        }
        Messenger.show("\nThat was a demonstration. Type such lines yourself with: messenger FILE")
        exit(0)
    }
    let store = try await LocalStore(path: path)
    let messenger = Messenger(try ModelSpace(store: store))
    try await messenger.begin()
    Messenger.show("\n\(Messenger.usage)")
    while let line = readCommand(), await messenger.run(line) {}
    await messenger.settled()
    await store.close()
} catch {
    FileHandle.standardError.write(Data("messenger: \(error.message)\n".utf8))
    exit(1)
}

/// The next line that is typed, which a terminal is asked for; nil at the end.
func readCommand() -> String? {
    let isTerminal = isatty(STDIN_FILENO) == 1
    if isTerminal { FileHandle.standardOutput.write(Data("> ".utf8)) }
    let line = readLine()
    // The end of the input leaves the prompt's line unfinished.
    if isTerminal, line == nil { Messenger.show("") }
    return line
}
