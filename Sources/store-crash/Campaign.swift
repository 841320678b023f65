import Foundation
import RemoteData
import RemoteDataSQLite
import RemoteDataTesting

/// Starts the victim, kills it, and looks at what it left, again and again.
struct Campaign: Sendable {
    let kills: Int
    let seed: UInt64

    /// How many deeds are done with one file.
    private static let deedsOfAFile = 400

    /// - Returns: 0; 1 when something was lost, with a line that says what.
    func run() async -> Int32 {
        var random = SeededGenerator(seed: seed)
        let folder = FileManager.default.temporaryDirectory.appending(
            path: "store-crash-\(UUID().uuidString)"
        )
        defer { try? FileManager.default.removeItem(at: folder) }
        var (deeds, files, inFlight) = (0, 0, 0)
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            var state = FileState(path: folder.path() + "/0.db", seed: seed)
            for kill in 0..<kills {
                if kill % 10 == 9 {
                    try await killMigration(folder.path() + "/old\(kill).db", &random)
                    continue
                }
                let before = state.done
                try await killOnce(&state, &random)
                deeds += state.done - before
                inFlight += state.wasInFlight ? 1 : 0
                if state.done > Self.deedsOfAFile {
                    files += 1
                    state = FileState(path: folder.path() + "/\(files).db", seed: seed &+ UInt64(files))
                }
            }
        } catch {
            print("seed \(seed): \(error)")
            return 1
        }
        print(
            "\(kills) kills, \(deeds) deeds on \(files + 1) files, \(inFlight) done and not said so: nothing was lost"
        )
        return 0
    }

    // MARK: One kill

    private func killOnce(_ state: inout FileState, _ random: inout SeededGenerator) async throws {
        let lines = Int.random(in: 0..<25, using: &random)
        let delay = UInt32.random(in: 0..<4_000, using: &random)
        let said = try Self.runVictim(
            ["--victim", state.path, "\(state.done)", "--seed", "\(state.seed)"],
            until: lines,
            then: delay
        )
        guard said.allSatisfy({ $0.error == nil }) else {
            throw Failure(message: "the program failed: \(said.compactMap(\.error).joined(separator: " "))")
        }
        if let last = said.last?.number { state.done = last + 1 }
        try await state.check()
    }

    private func killMigration(_ path: String, _ random: inout SeededGenerator) async throws {
        try FirstVersion.write(path, rows: 3_000)
        _ = try Self.runVictim(
            ["--migrate", path],
            until: 1,
            then: UInt32.random(in: 0..<15_000, using: &random)
        )
        let store = try await LocalStore(path: path)
        guard try await store.isWhole(), try await store.table("people").count(nil).value == 3_000 else {
            throw Failure(message: "rows were lost while \(path) was brought up to date")
        }
        await store.close()
    }

    /// What a victim said: the number of a deed, or why it ended by itself.
    private struct Word {
        var number: Int?
        var error: String?
    }

    /// Starts the program, kills it some time after it has said so many lines, and returns all it said.
    private static func runVictim(
        _ arguments: [String],
        until lines: Int,
        then delay: UInt32
    ) throws -> [Word] {
        let process = Process()
        process.executableURL = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        process.arguments = arguments
        let (output, errors) = (Pipe(), Pipe())
        (process.standardOutput, process.standardError) = (output, errors)
        try process.run()
        var text = Data()
        while text.count(where: { $0 == UInt8(ascii: "\n") }) < lines {
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { break }
            text += more
        }
        usleep(delay)
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        text += output.fileHandleForReading.readDataToEndOfFile()
        let problem = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        var words = String(decoding: text, as: UTF8.self).split(separator: "\n")
            .map { Word(number: Int($0)) }
        if !problem.isEmpty { words.append(Word(error: problem)) }
        return words
    }
}
