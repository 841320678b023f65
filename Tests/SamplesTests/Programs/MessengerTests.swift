import Foundation
import ProgramTesting
import Testing

/// The program `messenger`, run as a user would.
@Suite(.timeLimit(.minutes(3)))
struct MessengerTests {
    /// What both screens show when everything is told, after each of the lines.
    private func screens(_ output: String) -> [Substring] { output.split(separator: "\n\n") }

    @Test func aPersonWhoComesOnlineIsOnlineOnBothScreens() async throws {
        let end = try await Program.run("messenger", [])
        #expect(end.status == 0 && end.errors.isEmpty, "\(end.output)\(end.errors)")
        let screens = screens(end.output)
        let line = try #require(screens.firstIndex { $0.contains("online ada") })
        #expect(
            Set(screens[(line + 1)...(line + 2)]) == [
                "== Contacts ==  (update 0)\n  ● Ada (ada)\n  ○ Bob (bob)\n  ● Cy (cy)",
                "== Messages ==  (update 2, update 0)\n  ● Ada: Shall we meet?\n  ○ Bob: At six.\n  ● Ada: See you then!",
            ]
        )
    }

    @Test func whatAPersonWhoIsForgottenHasWrittenIsForgottenToo() async throws {
        let screens = screens(try await Program.run("messenger", []).output)
        #expect(
            Set(screens.dropLast().suffix(2)) == [
                "== Contacts ==  (delete 0)\n  ○ Bobby (bob)",
                "== Messages ==  (delete 2, delete 0)\n  ○ Bobby: At six.\n  ○ Bobby: I may be late",
            ]
        )
    }

    @Test func whatWasChangedIsThereTheNextTime() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite").path
        let lines = "online ada\nsay bob Hi there\nforget cy\nonline nobody\njump\nquit\n"
        let first = try await Program.run("messenger", [path], input: lines)
        #expect(first.status == 0 && first.errors.isEmpty, "\(first.errors)")
        #expect(first.output.hasSuffix("There is no nobody.\nI know: \(usage)\n"))
        let second = try await Program.run("messenger", [path], input: "")
        let messages = "  ● Ada: Shall we meet?\n  ○ Bob: At six.\n  ● Ada: See you then!\n  ○ Bob: Hi there"
        #expect(
            second.output == """

                == Contacts ==
                  ● Ada (ada)
                  ○ Bob (bob)

                == Messages ==
                \(messages)

                \(usage)

                """
        )
    }

    @Test func whatCannotBeOpenedIsSaid() async throws {
        let end = try await Program.run("messenger", ["/nowhere/at/all"], input: "")
        #expect(end.status == 1)
        #expect(end.errors.hasPrefix("messenger: /nowhere/at/all cannot be opened"))
    }

    @Test("The demonstration shows no prompt, and says how to type lines")
    func demonstration() async throws {
        let end = try await Program.run("messenger", [], input: "online bob\n")
        #expect(!end.output.split(separator: "\n").contains { $0.hasPrefix(">") })
        #expect(end.output.hasSuffix("Type such lines yourself with: messenger FILE\n"))
    }

    @Test("A prompt on a terminal reads what is typed, until the input ends")
    func prompt() async throws {
        let path = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).sqlite").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        let program = try TerminalProgram("messenger", [path])
        try await program.output { $0.hasSuffix("> ") }
        program.type("online ada\n")
        try await program.output { $0.contains("● Ada (ada)") && $0.hasSuffix("> ") }
        program.type("\u{4}")
        let end = await program.end()
        #expect(end.status == 0)
        #expect(end.output.hasSuffix("\r\n"))
    }

    private let usage = "online ID | offline ID | rename ID NAME | say ID TEXT | forget ID | quit"
}
