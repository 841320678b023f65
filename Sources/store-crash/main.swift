import Foundation

// Kills a program again and again while it writes to a local store, and looks at what is left.

do {
    switch try Arguments(CommandLine.arguments.dropFirst()).action {
    case .help: print(Arguments.usage)
    case .victim(let path, let seed, let first): try await Victim(path: path, seed: seed).run(from: first)
    case .migrate(let path): try await Victim.migrate(path)
    case .write(let path, let name, let count): try await Victim.write(path, name, count)
    case .campaign(let kills, let seed): exit(await Campaign(kills: kills, seed: seed).run())
    }
} catch let problem as Arguments.Problem {
    FileHandle.standardError.write(Data("store-crash: \(problem.message); see --help\n".utf8))
    exit(2)
} catch {
    FileHandle.standardError.write(Data("store-crash: \(error)\n".utf8))
    exit(1)
}
