import Foundation
import ProgramTesting
import Testing

/// The program `shopping-list`, run as a user would.
@Suite(.timeLimit(.minutes(3)))
struct ShoppingListTests {
    private func type(
        _ lines: [String],
        in folder: URL,
        server: String? = nil
    ) async throws -> ArraySlice<String> {
        let input = lines.joined(separator: "\n") + "\n"
        let words = [folder.path] + [server].compactMap(\.self)
        let end = try await Program.run("shopping-list", words, input: input)
        #expect(end.status == 0, "\(end.errors)")
        return end.output.components(separatedBy: "\n.\n").dropLast()
    }

    private func makeFolder() -> URL {
        FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    }

    /// Three devices, a server that is killed, a phone that is killed, users that change places.
    @Test func aDayEndsWithTheSameListOnEveryDevice() async throws {
        let end = try await Program.run("shopping-list", ["day"])
        #expect(end.status == 0, "\(end.output)\(end.errors)")
        #expect(end.errors.isEmpty)
        let same = "(the list is the same on ann's phone, ann's tablet, bob's phone)"
        #expect(end.output.components(separatedBy: same).count == 3)
        #expect(end.output.contains("hello, ann; 4 rows that were here are yours now"))
        // Both have changed the milk, and neither has lost anything.
        #expect(end.output.contains("[x] 2 milk × 2"))
        #expect(end.output.contains("[ ] 6 tea"))
        #expect(end.output.hasSuffix("bob's phone> lists\n   no lists\n\nGood night\n"))
    }

    @Test func whatIsWrittenIsThereAtTheNextStart() async throws {
        let folder = makeFolder()
        let first = try await type(
            ["new Food", "add rice, beans, salt", "tick rice", "move salt before rice"],
            in: folder
        )
        #expect(first.last == "Food\n[ ] 1 salt\n[x] 2 rice\n[ ] 3 beans")
        let second = try await type(["count 3 4", "remove salt", "lists", "status"], in: folder)
        #expect(second[1] == "Food\n[x] 1 rice\n[ ] 2 beans × 4")
        #expect(second[2] == "Food: 1 of 2 to buy")
        #expect(
            second[3] == """
                On this device: 1 list with 2 things.
                3 writes wait on this device; to send them, start with the URL of a server and log in.
                """
        )
        try FileManager.default.removeItem(at: folder)
    }

    @Test func whatCannotBeDoneIsSaid() async throws {
        let folder = makeFolder()
        let answers = try await type(
            [
                "", "tick milk", "new Food", "tick milk", "move a", "count x none", "dance now", "dance",
                "open Drinks",
                "share bob", "sync", "login ann", "login ann token", "flight maybe", "drop food", "lists",
            ],
            in: folder
        )
        #expect(
            answers == [
                "No list is open: open NAME, or new NAME.", "No list is open: open NAME, or new NAME.",
                "Food",
                "There is no milk on the list.", "move THING before OTHER",
                "count THING N, of which there is one or more",
                "dance is nothing that can be done: see help.",
                "dance is nothing that can be done, or something is missing behind it: see help.",
                "There is no list Drinks.", "There is no server to share it through: start with its URL.",
                "There is no server to sync with: start with its URL.", "login USER TOKEN",
                "There is no server to log in to: start with its URL.", "flight on, or flight off",
                "no lists",
                "no lists",
            ]
        )
        try FileManager.default.removeItem(at: folder)
    }

    @Test("The status of a new device is that nothing waits")
    func statusOfNothing() async throws {
        let folder = makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let status = try await type(["status"], in: folder).last
        #expect(status == "On this device: 0 lists with 0 things.\nNothing waits to be sent.")
    }

    @Test("What waits before a user has logged in waits for one, and not for a server")
    func statusWithoutUser() async throws {
        let folder = makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let lines = ["new Food", "status", "sync"]
        let answers = try await type(lines, in: folder, server: "http://127.0.0.1:1")
        #expect(
            answers[1] == """
                On this device: 1 list with 0 things.
                1 write waits on this device for a user: login USER TOKEN sends it.
                """
        )
        #expect(answers[2] == "Log in first: writes are sent as those of a user.")
    }

    @Test(arguments: [[], ["--dance"], ["a", "b", "c"]])
    func otherArgumentsAreRefused(arguments: [String]) async throws {
        let end = try await Program.run("shopping-list", arguments)
        #expect(end.status == 2)
        #expect(end.errors.hasPrefix("usage: shopping-list FOLDER [SERVER] | shopping-list day\n"))
    }

    @Test("A server's URL that is none is refused, and not taken for no server")
    func noURL() async throws {
        let end = try await Program.run("shopping-list", [makeFolder().path, "localhost:8080"])
        #expect(end.status == 2)
        #expect(end.errors.contains("begins with http://"))
    }
}
