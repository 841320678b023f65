import ProgramTesting
import Testing

/// What programs say when they are asked how to call them, or are called wrongly.
@Suite(.timeLimit(.minutes(3)))
struct HelpTests {
    static let programs = [
        "airports-tour", "datasette-rows", "live-table", "messenger", "offline-notes", "oracle",
        "shopping-list", "simulate", "table-server",
    ]

    @Test(
        "Help that is asked for is the output, and no failure",
        arguments: programs,
        ["--help", "-h", "help"]
    )
    func help(program: String, word: String) async throws {
        let end = try await Program.run(program, [word])
        #expect(end.status == 0)
        #expect(end.output.lowercased().contains("usage: \(program)"), "\(end.output)")
        #expect(end.errors.isEmpty, "\(end.errors)")
    }

    @Test("A wrong use ends with 2 and says something on standard error alone", arguments: programs)
    func misuse(program: String) async throws {
        let end = try await Program.run(program, ["--dance", "a", "b"])
        #expect(end.status == 2)
        #expect(end.output.isEmpty, "\(end.output)")
        #expect(!end.errors.isEmpty)
    }
}
