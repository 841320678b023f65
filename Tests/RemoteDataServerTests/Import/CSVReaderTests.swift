import RemoteDataServer
import Testing

struct CSVReaderTests {
    private static func records(_ text: some Sequence<UInt8>, partSize: Int = .max) throws -> [CSVReader.Record] {
        var reader = CSVReader()
        var records: [CSVReader.Record] = []
        var rest = Array(text)[...]
        while !rest.isEmpty {
            records += try reader.read(rest.prefix(partSize))
            rest = rest.dropFirst(partSize)
        }
        return records + (try reader.finish())
    }

    private static func texts(_ text: String) throws -> [[String]] {
        try records(text.utf8).map { $0.fields.map(\.text) }
    }

    private static func problem(_ text: some Sequence<UInt8>) -> String? {
        do {
            _ = try records(text)
            return nil
        } catch { return (error as? TableServerError)?.message }
    }

    @Test(arguments: [1, 2, 3, 5, 1_000])
    func recordsAreTheSameHoweverTheTextIsCut(partSize: Int) throws {
        let text = "\u{FEFF}a,\"b\",c\r\n1,\"x\"\"y\r\n,z\",\r\n\n\"\",ä,\"\"\"\"\nlast,,"
        let records = try Self.records(text.utf8, partSize: partSize)
        #expect(records.map { $0.fields.map(\.text) } == [
            ["a", "b", "c"], ["1", "x\"y\r\n,z", ""], [""], ["", "ä", "\""], ["last", "", ""],
        ])
        #expect(records.map { $0.fields.map(\.isQuoted) } == [
            [false, true, false], [false, true, false], [false], [true, false, true], [false, false, false],
        ])
        #expect(records.map(\.line) == [1, 2, 4, 5, 6])
    }

    @Test func theLastLineBreakIsNoRecord() throws {
        #expect(try Self.texts("a,b\n") == [["a", "b"]])
        #expect(try Self.texts("a,b") == [["a", "b"]])
        #expect(try Self.texts("a,\"\"") == [["a", ""]])
        #expect(try Self.texts("") == [])
        #expect(try Self.texts("\n") == [[""]])
    }

    @Test func halfAByteOrderMarkIsText() throws {
        #expect(throws: TableServerError.self) { try Self.records([0xEF, 0xBB, 0x41]) }
        #expect(try Self.texts("\u{FEC0}x") == [["\u{FEC0}x"]])
    }

    @Test func anUnclosedQuoteIsNamedByWhereItOpens() {
        #expect(Self.problem("a\nb,\"c\nd\ne".utf8) == "Line 2: A quote is opened and never closed.")
    }

    @Test(arguments: [
        ("a\nb,c\"d\n", 2), ("a\n\"b\"c\n", 2), ("a\n\"x\ny\"z", 3), ("a\rb", 1), ("a\n\"b\"\r\"", 2), ("a\nb\r", 2),
    ])
    func whatIsOutOfTheOrdinaryIsNamedByItsLine(text: String, line: Int) {
        #expect(Self.problem(text.utf8)?.hasPrefix("Line \(line): ") == true)
    }

    @Test func textThatIsNotUTF8IsNamedByItsLine() {
        #expect(Self.problem(Array("a\nb".utf8) + [0xFF, 0x0A]) == "Line 2: The text is not UTF-8.")
    }

    @Test func aRecordThatNeverEndsIsRefused() {
        let part = [UInt8](repeating: UInt8(ascii: "x"), count: 17 << 20)
        #expect(Self.problem(Array("a\n\"".utf8) + part)?.hasPrefix("Line 2: The record has more than 16 MiB") == true)
    }
}
