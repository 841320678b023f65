import Testing

@testable import RemoteDataServer

struct JSONRowReaderTests {
    private static func rows(_ text: String, partSize: Int = .max) throws -> [JSONRowReader.Row] {
        var reader = JSONRowReader()
        var rows: [JSONRowReader.Row] = []
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            rows += try reader.read(rest.prefix(partSize))
            rest = rest.dropFirst(partSize)
        }
        try reader.finish()
        return rows
    }

    @Test(arguments: [1, 3, 1_000], [
        "[{\"a\":\"}\\\"{\"},\n {\"b\":[{}]}\n]", "{\"a\":\"}\\\"{\"}\n{\"b\":[{}]}\n", "\u{FEFF} {\"a\":\"}\\\"{\"}\r\n{\"b\":[{}]}",
    ])
    func rowsAreFoundHoweverTheTextIsCut(partSize: Int, text: String) throws {
        let rows = try Self.rows(text, partSize: partSize)
        #expect(rows.map { String(decoding: $0.json, as: UTF8.self) } == ["{\"a\":\"}\\\"{\"}", "{\"b\":[{}]}"])
        #expect(rows.map(\.line) == [1, 2])
    }

    @Test func anEmptyArrayHasNoRows() throws { #expect(try Self.rows(" [ ] ").isEmpty) }

    @Test(arguments: [
        ("", 1), ("\n", 2), ("[", 1), ("[{}", 1), ("[{},", 1), ("[{},]", 1), ("[,{}]", 1), ("[{}{}]", 1), ("[{}]x", 1), ("{}\n{", 2),
        ("{}\n,{}", 2), ("[\n1]", 2), ("[[{}]]", 1), ("null", 1), ("<html>", 1), ("{}\n[{}]", 2),
    ])
    func whatIsNotRowsIsNamedByItsLine(text: String, line: Int) {
        let error = #expect(throws: TableServerError.self) { try Self.rows(text) }
        #expect(error?.message.hasPrefix("Line \(line): ") == true)
    }
}
