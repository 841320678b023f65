import Testing

@testable import live_table

struct InvocationTests {
    private let address = "http://127.0.0.1:8080/airports"

    private func arguments(_ words: String...) throws -> Arguments {
        guard case .run(let arguments) = try Invocation.parse([address] + words) else {
            throw Failure("help")
        }
        return arguments
    }

    private func message(_ words: String...) throws -> String {
        let failure = try #require(throws: Failure.self) { try Invocation.parse([address] + words) }
        #expect(failure.exitCode == 2)
        return failure.message ?? ""
    }

    @Test func optionsMayStandAnywhereAndTakeEqualsSigns() throws {
        let one = try arguments("--limit", "5", "list", "--where=a = 'b=c'", "--columns", "a, b")
        #expect(one.command == .list)
        #expect(one.limit == 5)
        #expect(one.clause == "a = 'b=c'")
        #expect(one.columns == ["a", "b"])
    }

    @Test func aLoneHyphenIsAnArgument() throws { #expect(try arguments("add", "-").operands == ["-"]) }

    @Test func whatFollowsTwoHyphensIsNoOption() throws {
        #expect(try arguments("remove", "--", "-5", "--where").operands == ["-5", "--where"])
    }

    @Test(arguments: ["--help", "-h"]) func helpIsAskedForWithoutATable(word: String) throws {
        #expect(try Invocation.parse([word]) == .help)
        #expect(try Invocation.parse([address, "list", word]) == .help)
    }

    @Test func helpIsAWordToo() throws {
        #expect(try Invocation.parse(["help"]) == .help)
        #expect(try Invocation.parse([address, "help"]) == .help)
        #expect(try arguments("remove", "help").operands == ["help"])
    }

    @Test func everyCommandTakesItsOwnOptionsOnly() throws {
        #expect(try message("count", "--limit", "3") == "count does not take --limit.")
        #expect(try message("remove-all", "--for", "3") == "remove-all does not take --for.")
    }

    @Test func anOptionIsGivenOnce() throws {
        #expect(try message("list", "--limit", "3", "--limit=4") == "--limit is given twice.")
    }

    @Test(arguments: ["0", "-1", "x", "", "1.5"]) func limitsAreNumbersAboveZero(value: String) throws {
        #expect(try message("list", "--limit=\(value)").contains("above zero"))
    }

    @Test func nearbyNamesAreSuggested() throws {
        #expect(try message("browze").contains("did you mean browse?"))
        #expect(try message("list", "--wher", "a").contains("did you mean --where?"))
        #expect(try message("xyzzy").contains("list, count"))
    }

    @Test func flagsTakeNoValue() throws {
        #expect(try arguments("remove-all", "--yes").isConfirmed)
        #expect(try message("remove-all", "--yes=no") == "--yes takes no value.")
    }

    @Test func messagesAreOneLine() {
        #expect(Failure("one\ntwo\r\nthree").message == "one two three")
    }
}
