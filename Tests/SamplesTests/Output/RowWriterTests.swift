import Testing

@testable import live_table

struct RowWriterTests {
    private func row(_ members: (String, JSONValue)...) -> LiveRow {
        LiveRow(members: members.map { JSONMember(name: $0, value: $1) })
    }

    private func text(_ format: Format, columns: [String]? = nil, width: Int? = nil, _ rows: [LiveRow]...)
        -> String
    {
        var writer = format.writer(columns: columns, width: width)
        return rows.map { writer.text(for: $0) }.joined() + writer.end()
    }

    @Test func noRowsAreAnEmptyArray() { #expect(text(.json) == "[]\n") }

    @Test func jsonIsOneArrayWhateverThePages() {
        let rows = (1...3).map { row(("a", .integer($0))) }
        #expect(text(.json, [rows[0]], [rows[1], rows[2]]) == "[\n{\"a\":1},\n{\"a\":2},\n{\"a\":3}\n]\n")
    }

    @Test func csvTellsNullFromEmptyText() {
        let rows = [row(("a", .null), ("b", .text(""))), row(("a", .text("x")), ("b", .integer(1)))]
        #expect(text(.csv, rows) == "a,b\r\n,\"\"\r\nx,1\r\n")
    }

    @Test func csvQuotesWhatItHasTo() {
        let value = "a,\"b\"\nc"
        #expect(text(.csv, [row(("k,", .text(value)))]) == "\"k,\"\r\n\"a,\"\"b\"\"\nc\"\r\n")
        #expect(CSVText.records(text(.csv, [row(("k,", .text(value)))])) == [["k,"], [value]])
    }

    @Test func csvNamesTheColumnsAskedForEvenWithoutRows() {
        #expect(text(.csv, columns: ["b", "a"]) == "b,a\r\n")
    }

    @Test func columnsThatTurnUpLateAreMissedAloud() {
        for format in [Format.csv, .table] {
            var writer = format.writer(columns: nil, width: nil)
            _ = writer.text(for: [row(("a", .integer(1)))])
            _ = writer.text(for: [row(("a", .integer(1)), ("late", .integer(2)))])
            #expect(writer.missed == ["late"])
        }
    }

    @Test func tablesAlignTextLeftAndNumbersRight() {
        let rows = [
            row(("name", .text("x")), ("n", .integer(5))),
            row(("name", .text("yyyyy")), ("n", .integer(1000))),
        ]
        #expect(
            text(.table, rows) == """
                name      n
                -----  ----
                x         5
                yyyyy  1000

                """
        )
    }

    @Test func wideCharactersCountTwice() {
        let rows = [row(("a", .text("東京")), ("b", .text("x"))), row(("a", .text("abc")), ("b", .text("y")))]
        #expect(text(.table, rows) == "a     b\n----  -\n東京  x\nabc   y\n")
    }

    @Test(arguments: [20, 40, 60]) func tablesFitIntoATerminal(width: Int) {
        let cells = (0..<6).map { ("column\($0)", JSONValue.text(String(repeating: "東x", count: 10))) }
        let lines = text(
            .table,
            width: width,
            [LiveRow(members: cells.map { JSONMember(name: $0.0, value: $0.1) })]
        )
        .split(separator: "\n")
        #expect(lines.allSatisfy { String($0).displayWidth <= width })
        #expect(lines[2].contains("…"))
    }

    @Test("Columns that have no room are left out and named, and the others are readable")
    func leftOut() {
        let row = LiveRow(
            members: (0..<9).map { JSONMember(name: "column\($0)", value: .text("abcdefghijkl")) }
        )
        var writer = Format.table.writer(columns: nil, width: 40)
        let lines = writer.text(for: [row]).split(separator: "\n")
        #expect(lines.first == "column0    column1    column2   column3".prefix(40))
        #expect(lines.last == "abcdefgh…  abcdefgh…  abcdefg…  abcdefg…")
        #expect(writer.leftOut == (4..<9).map { "column\($0)" })
        #expect(
            writer.remarks == [
                "5 columns have no room: column4, column5, column6, column7, column8."
                    + " Choose columns with --columns, or see all with --format json."
            ]
        )
        var wide = Format.table.writer(columns: nil, width: nil)
        _ = wide.text(for: [row])
        #expect(wide.leftOut.isEmpty && wide.remarks.isEmpty)
    }

    @Test("A column is shown whatever is in its name")
    func treacherousName() {
        #expect(text(.table, [row(("a\u{1B}b", .text("value")))]).hasSuffix("value\n"))
    }

    @Test func nothingInARowCommandsTheTerminal() {
        let lines = text(.table, [row(("a", .text("x\u{1B}[31my\nz")))])
        #expect(lines.split(separator: "\n").last == "x\u{FFFD}[31my⏎z")
    }
}
