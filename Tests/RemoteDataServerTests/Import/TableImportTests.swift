import Foundation
import RemoteData
import RemoteDataServer
import Testing

struct TableImportTests {
    private let store = MemoryTableStore()
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    private func run(
        _ text: String,
        as name: String = "things.csv",
        table: String? = nil,
        idColumn: String? = nil
    ) async throws -> TableImport.Report {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: name)
        try Data(text.utf8).write(to: file)
        return try await TableImport(file, into: table, idColumn: idColumn).run(on: store)
    }

    private func rows(_ table: String = "things") async throws -> [String] {
        guard let table = try await store.table(table, creating: false) else { return [] }
        return try await table.page(PageRequest(Query(), limit: 1_000)).rows.map(\.text)
    }

    @Test func csvBecomesRowsWithTheColumnAsTheirID() async throws {
        let report = try await run("code,\"n\",size\n\"B\",\"\",\nA,x,5\n", idColumn: "code")
        #expect(report.rows == 2)
        #expect(
            try await rows() == [
                #"{"objectId":"A","code":"A","n":"x","size":5}"#,
                #"{"objectId":"B","code":"B","n":"","size":null}"#,
            ]
        )
    }

    @Test func withoutAnIDColumnRowsGetOneOnce() async throws {
        #expect(try await run("a\n1\n2\n").rows == 2)
        let report = try await run("a\n3\n")
        #expect(report.wasSkipped)
        #expect(try await rows().count == 2)
    }

    @Test func aFileWithIDsOfItsOwnNeedsNoColumn() async throws {
        _ = try await run("objectId,a\nx,1\n7,2\n")
        #expect(try await rows() == [#"{"objectId":7,"a":2}"#, #"{"objectId":"x","a":1}"#])
    }

    @Test func theLastOfTheRowsWithAnIDStays() async throws {
        let report = try await run("id,a\n1,1\n2,2\n1,3\n", idColumn: "id")
        #expect(report.rows == 3)
        #expect(report.repeatedIDs == 1)
        #expect(try await rows() == [#"{"objectId":1,"id":1,"a":3}"#, #"{"objectId":2,"id":2,"a":2}"#])
    }

    @Test func anImportWithIDsReplacesRows() async throws {
        _ = try await run("id,a\n1,1\n2,2\n", idColumn: "id")
        _ = try await run("id,a\n1,5\n", idColumn: "id")
        #expect(try await rows() == [#"{"objectId":1,"id":1,"a":5}"#, #"{"objectId":2,"id":2,"a":2}"#])
    }

    @Test(arguments: [
        ("things.json", #"[{"k":"a","v":1.50},{"k":"b"}]"#),
        ("things.jsonl", "{\"k\":\"a\",\"v\":1.50}\n{\"k\":\"b\"}"),
    ])
    func jsonBecomesRows(name: String, text: String) async throws {
        _ = try await run(text, as: name, idColumn: "k")
        #expect(try await rows() == [#"{"objectId":"a","k":"a","v":1.50}"#, #"{"objectId":"b","k":"b"}"#])
    }

    @Test func manyRowsGoInSeveralMutations() async throws {
        let text = "id\n" + (0..<2_500).map { "\($0)\n" }.joined()
        #expect(try await run(text, table: "many", idColumn: "id").rows == 2_500)
        #expect(try await store.table("many", creating: false)?.count(nil).value == 2_500)
    }

    @Test(
        "What would be lost or be something else is refused",
        arguments: [
            ("a.csv", "objectId,k\n7,1\n", "a.csv: Line 2: There is a column objectId too"),
            ("a.json", #"[{"objectId":7,"k":1}]"#, "a.json: Line 1: There is a column objectId too"),
            ("a.csv", "k\u{0},\u{0}b\n", "a.csv: Line 1: There are NUL bytes"),
            (
                "a.json", #"[{"k":1,"t":"cut \ud83d"}]"#,
                "a.json: Line 1: The row cannot be written: half a surrogate"
            ),
            (
                "a.json", "[{\"k\":1},\n{\"k\":2,\"n\":1e400}]",
                "a.json: Line 2: The row cannot be written: a number"
            ),
            (
                "a.json", #"[{"k":1,"n":1,"n":2}]"#,
                "a.json: Line 1: The row cannot be written: n is there twice"
            ),
        ]
    )
    func losses(name: String, text: String, message: String) async throws {
        let error = await #expect(throws: TableServerError.self) {
            try await run(text, as: name, idColumn: "k")
        }
        #expect(error?.code == .malformed)
        #expect(error?.message.hasPrefix(message) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("things.csv", "id,a\n1,1\n2\n", "things.csv: Line 3: "),
        ("things.csv", "id,a\n1,1\n,2\n", "things.csv: Line 3: "),
        ("things.csv", "id,a\n1,1\n1.5,2\n", "things.csv: Line 3: "),
        ("things.csv", "", "things.csv: Line 1: There is no header."),
        (
            "things.csv", "a\n1\n",
            "things.csv: Line 1: There is no column \"id\" for the id; the header has a."
        ),
        ("things.csv", "a,b\n", "things.csv: Line 1: There is no column"),
        ("things.json", "[{\"id\":1},\n{\"id\":}]", "things.json: Line 2: "),
        ("things.json", "[{\"id\":1},\n{\"id\":null}]", "things.json: Line 2: "),
        ("things.json", "<html>", "things.json: Line 1: "),
    ])
    func aBadFileChangesNothingAndIsNamed(name: String, text: String, message: String) async throws {
        let error = await #expect(throws: TableServerError.self) {
            try await run(text, as: name, idColumn: "id")
        }
        #expect(error?.code == .malformed)
        #expect(error?.message.hasPrefix(message) == true)
        #expect(try await rows() == [])
    }

    @Test func aLongFileThatIsBadAtItsEndChangesNothing() async throws {
        let text = "id\n" + (0..<2_500).map { "\($0)\n" }.joined() + "1,2\n"
        let error = await #expect(throws: TableServerError.self) { try await run(text, idColumn: "id") }
        #expect(error?.message.hasPrefix("things.csv: Line 2502: ") == true)
        #expect(try await rows() == [])
    }

    @Test func aFileThatIsNotThereIsNamed() async throws {
        for (path, words) in [
            ("/nowhere/a.csv", "is it there"), ("/tmp", "regular file"), ("/dev/null", "regular file"),
        ] {
            let plan = TableImport(URL(filePath: path), into: "t")
            let error = await #expect(throws: TableServerError.self) { try await plan.run(on: store) }
            #expect(error?.code == .unreadable)
            #expect(error?.message.contains(words) == true)
        }
    }

    @Test func theTableIsNamedAfterTheFile() {
        #expect(TableImport(URL(filePath: "/a/b.c.csv")).table == "b.c")
        #expect(TableImport(URL(filePath: "x.json"), into: "t").table == "t")
    }
}
