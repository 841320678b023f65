// Tables kept in step over real sockets, while everything is killed: see Arguments.usage.

import Foundation

do {
    let arguments = try Arguments(CommandLine.arguments.dropFirst())
    switch arguments.action {
    case .help: print(Arguments.usage)
    case .campaign(let kills, let seed): try await Campaign(kills: kills, seed: seed).run()
    case .client(let file, let url, let name, let seed):
        try await Client(file: file, url: url, name: name, seed: seed).run()
    }
} catch let problem as Arguments.Problem {
    FileHandle.standardError.write(Data("sync-crash: \(problem.message); see --help\n".utf8))
    exit(2)
} catch {
    FileHandle.standardError.write(Data("sync-crash: \(error)\n".utf8))
    exit(1)
}
