import Foundation
import ProgramTesting
import Testing

/// The program `oracle`, run as a user would; its writes are the same each time, and when they meet what else happens is not.
@Suite(.timeLimit(.minutes(5)))
struct OracleTests {
    private func oracle(_ arguments: String...) async throws -> Program.End {
        try await Program.run("oracle", arguments)
    }

    @Test func everyCollectionIsWhatTheServerAnswersBehindEachBatch() async throws {
        let end = try await oracle("--batches", "8", "--seed", "5", "--rows", "80")
        #expect(end.status == 0, "\(end.output)\(end.errors)")
        #expect(end.output.contains("8 batches of seed 5, 0 failed"))
    }

    /// All at once, for each waits for its network most of the time.
    @Test func aBrokenTableIsCaught() async throws {
        try await withThrowingTaskGroup(of: Program.End.self) { group in
            for defect in ["pagesByOffset", "noFence", "noTombstones", "changesLost"] {
                group.addTask {
                    try await oracle("--batches", "30", "--seed", "1", "--broken", defect)
                }
            }
            for try await end in group {
                #expect(end.status == 1, "\(end.output)\(end.errors)")
                #expect(end.output.contains("Seed 1, batch "))
            }
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func aSignalLeavesNoServerBehind(number: Int32) async throws {
        let program = try Program("oracle", ["--batches", "1000000", "--rows", "20"])
        let words = try await program.line().split(whereSeparator: { " .".contains($0) })
        let server = try #require(words.last.flatMap { Int32($0) })
        #expect(kill(server, 0) == 0)
        program.signal(number)
        #expect(try await program.end().status == 128 + number)
        #expect(kill(server, 0) == -1)
    }

    @Test(arguments: [
        (["--dance", "1"], "There is no --dance"),
        (["--batches", "none"], "--batches needs a number from 1 on"),
        (["--collections", "101"], "from 1 to 100"),
        (["--broken", "all"], "--broken takes one of pagesByOffset"),
        (["--seed"], "--seed needs a value"),
    ])
    func whatItDoesNotKnowIsRefused(arguments: [String], message: String) async throws {
        let end = try await Program.run("oracle", arguments)
        #expect(end.status == 2)
        #expect(end.errors.contains(message))
    }
}
