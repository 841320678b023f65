// Shopping lists that are there without the server, too: what is written waits here until it can be sent, whatever happens to
// the network and to the program. `Samples/run shopping-list day` plays a day with three devices, flight mode and a crash; by
// hand, with a server or without:
//
//     Samples/run shopping-list FOLDER
//     Samples/run shopping-list FOLDER http://127.0.0.1:8080

import Foundation
import RemoteData
import RemoteDataBackends

let words = Array(CommandLine.arguments.dropFirst())
let isTerminal = isatty(STDIN_FILENO) == 1

let usage = """
    usage: shopping-list FOLDER [SERVER] | shopping-list day

      FOLDER  where the lists are kept; all of them are there without a server, too
      SERVER  the URL of a table-server, such as http://127.0.0.1:8080
      day     plays a day with three devices, flight mode and a crash

    """
if words.first == "help" || !Set(words).isDisjoint(with: ["--help", "-h"]) {
    say(usage + "What can be typed:\n\n\(Commands.help)")
    exit(0)
}
guard (1...2).contains(words.count), !words[0].hasPrefix("-") else {
    FileHandle.standardError.write(Data(usage.utf8))
    exit(2)
}
do { if words.count > 1 { _ = try RESTServer(words[1]) } } catch {
    FileHandle.standardError.write(Data("shopping-list: \(error.message)\n".utf8))
    exit(2)
}
if words == ["day"] {
    do {
        try await Day().play()
        exit(0)
    } catch {
        FileHandle.standardError.write(
            Data("shopping-list: \((error as? Failure)?.message ?? "\(error)")\n".utf8)
        )
        exit(1)
    }
}

do {
    let shopper = try await Shopper(folder: words[0], server: words.count > 1 ? words[1] : nil)
    let commands = Commands(shopper: shopper)
    if isTerminal { say("Lists in \(words[0]). What can be done: help.") }
    while let line = await readCommand(), line != "quit" {
        do { say(try await commands.run(line)) } catch let error as Failure { say(error.message) } catch let
            error
            as RemoteDataError
        { say("\(error.code): \(error.message)") }
        // Whoever is a program knows by this that there is no more.
        if !isTerminal { say(".") }
    }
    await shopper.close()
} catch {
    FileHandle.standardError.write(
        Data("shopping-list: \((error as? RemoteDataError)?.message ?? "\(error)")\n".utf8)
    )
    exit(1)
}
