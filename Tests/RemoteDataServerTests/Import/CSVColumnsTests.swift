import Testing

@testable import RemoteDataServer

struct CSVColumnsTests {
    private typealias Field = CSVReader.Field

    @Test(arguments: [
        ("", "null"), ("0", "0"), ("-12", "-12"), ("1.50", "1.50"), ("1e5", "1e5"), ("-0.5E-3", "-0.5E-3"),
        ("9223372036854775807", "9223372036854775807"), ("9223372036854775808", "\"9223372036854775808\""),
        ("007", "\"007\""), ("+1", "\"+1\""), (".5", "\".5\""), ("1.", "\"1.\""), ("1e999", "\"1e999\""), ("NaN", "\"NaN\""),
        ("-", "\"-\""), ("1 ", "\"1 \""), ("0x10", "\"0x10\""), ("true", "true"), ("FALSE", "false"), ("yes", "\"yes\""),
        ("null", "\"null\""), ("a\tb", "\"a\\tb\""), ("1,5", "\"1,5\""),
    ])
    func anUnquotedFieldIsWhatItLooksLike(text: String, json: String) {
        #expect(String(decoding: CSVColumns.json(Field(text)), as: UTF8.self) == json)
    }

    @Test(arguments: [("", "\"\""), ("1", "\"1\""), ("true", "\"true\""), ("a\"b", "\"a\\\"b\"")])
    func aQuotedFieldIsText(text: String, json: String) {
        #expect(String(decoding: CSVColumns.json(Field(text, isQuoted: true)), as: UTF8.self) == json)
    }

    private func record(_ fields: [String], line: Int = 1) -> CSVReader.Record {
        CSVReader.Record(fields: fields.map { Field($0) }, line: line)
    }

    @Test func aRecordBecomesARow() throws {
        let columns = try CSVColumns(record(["a", "b\"c"]))
        let row = try columns.row(record(["1", "x"]))
        #expect(row.map { String(decoding: $0, as: UTF8.self) } == #"{"a":1,"b\"c":"x"}"#)
        #expect(try columns.row(record([""])) == nil)
        #expect(try CSVColumns(record(["a"])).row(record([""])).map { String(decoding: $0, as: UTF8.self) } == #"{"a":null}"#)
    }

    @Test func aRaggedRecordIsNamedByItsLine() throws {
        let columns = try CSVColumns(record(["a", "b"]))
        for fields in [["1"], ["1", "2", "3"]] {
            let error = #expect(throws: TableServerError.self) { try columns.row(record(fields, line: 9)) }
            #expect(error?.message == "Line 9: The record has \(fields.count) fields, the header 2.")
        }
    }

    @Test(arguments: [["a", "a"], ["a", ""], [""]])
    func aHeaderNamesEachColumnOnce(names: [String]) {
        #expect(throws: TableServerError.self) { try CSVColumns(record(names)) }
    }
}
