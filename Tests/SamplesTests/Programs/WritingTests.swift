import Foundation
import ProgramTesting
import Testing

@Suite(.server, .timeLimit(.minutes(3)))
struct WritingTests {
    @Test func theFirstRowMakesTheTable() async throws {
        #expect(try await liveTable("first", "count").output == "0\n")
        let end = try await liveTable("first", "add", #"{"objectId":"a","n":1}"#, "--format", "csv")
        #expect(end.output == "objectId,n\r\na,1\r\n")
        #expect(try await liveTable("first", "count").output == "1\n")
    }

    @Test func addTakesJSONLinesAndKeepsEveryDigit() async throws {
        let input = """
            {"objectId":"a","n":9007199254740993,"x":-9223372036854775808}
            {"objectId":"b","n":0.1,"x":null}

            """
        let added = try await liveTable("lines", "add", "-", "--format", "csv", input: input)
        #expect(added.output == "objectId,n,x\r\na,9007199254740993,-9223372036854775808\r\nb,0.1,\r\n")
        let listed = try await liveTable("lines", "list", "--columns", "n,x", "--format", "csv")
        #expect(listed.output == "n,x\r\n9007199254740993,-9223372036854775808\r\n0.1,\r\n")
    }

    @Test func rowsThatDoNotMatchAreDiscardedAndNamed() async throws {
        let rows = #"[{"objectId":"a","n":1},{"objectId":"b","n":2}]"#
        let end = try await liveTable("discarded", "add", rows, "--where", "n > 1", "--format", "csv")
        #expect(end.output == "objectId,n\r\nb,2\r\n")
        #expect(end.errors.contains("discarded") && end.errors.contains(#"{"objectId":"a","n":1}"#))
        #expect(try await liveTable("discarded", "count").output == "1\n")
    }

    @Test func updateChangesOnlyTheMembersGiven() async throws {
        _ = try await liveTable("updated", "add", #"{"objectId":"a","n":1,"m":{"k":[1,2]}}"#)
        let end = try await liveTable(
            "updated",
            "update",
            "a",
            #"{"n":2}"#,
            "--columns",
            "n,m.k",
            "--format",
            "csv"
        )
        #expect(end.output == "n,m.k\r\n2,\"[1,2]\"\r\n")
    }

    @Test func integerIDsAreAddressedByTheirDigits() async throws {
        _ = try await liveTable("integers", "add", #"[{"objectId":7,"n":1},{"objectId":8,"n":1}]"#)
        #expect(try await liveTable("integers", "update", "7", #"{"n":2}"#).status == 0)
        #expect(try await liveTable("integers", "remove", "8").output == "removed 1 row\n")
        #expect(try await liveTable("integers", "count", "--where", "n = 2").output == "1\n")
    }

    @Test func removeNamesTheRowsThatAreNotThere() async throws {
        _ = try await liveTable("removed", "add", #"[{"objectId":"a"},{"objectId":"b"}]"#)
        let end = try await liveTable("removed", "remove", "a", "zz", "b")
        #expect(end.output == "removed 2 rows\n")
        #expect(end.errors == "live-table: There is no row zz in removed.\n")
        #expect(end.status == 1)
    }

    @Test func removeAllWantsAClauseOrConfirmation() async throws {
        _ = try await liveTable(
            "all",
            "add",
            #"[{"objectId":"a","n":1},{"objectId":"b","n":2},{"objectId":"c","n":3}]"#
        )
        let refused = try await liveTable("all", "remove-all")
        #expect(refused.status == 2)
        #expect(refused.errors.contains("--yes"))
        for clause in ["", " ", "\t"] {
            let end = try await liveTable("all", "remove-all", "--yes", "--where", clause)
            #expect(end.status == 2)
            #expect(end.errors.contains("--where is blank"))
        }
        #expect(try await liveTable("all", "remove-all", "--where", "n > 2").output == "removed 1 row\n")
        #expect(try await liveTable("all", "remove-all", "--yes").output == "removed 2 rows\n")
    }

    @Test func textThatIsNoJSONIsBadUsageAndNothingIsSent() async throws {
        let end = try await liveTable("nothing", "add", #"{"objectId":"a",}"#)
        #expect(end.status == 2)
        #expect(end.errors.contains("at byte 17"))
        #expect(try await liveTable("nothing", "add", "[1]").status == 2)
        #expect(try await liveTable("nothing", "count").errors.contains("never had a row"))
    }
}
