import RemoteData
import Testing

@testable import live_table

@Suite(.timeLimit(.minutes(1)))
struct ProgressReportTests {
    /// What is reported while 1,000 rows are loaded, 100 every 10 ms.
    private func reports(isTerminal: Bool, width: Int = 80) async throws -> [String] {
        let table = MemoryTable("numbers")
        _ = try await table.commit(
            .create(
                (0..<1_000).map { try Draft(Array(#"{"objectId":\#($0)}"#.utf8)[...], idColumn: "objectId") }
            )
        )
        let rows = try await RemoteDataCollection<LiveRow>(table: table)
        let log = Log()
        try await rows.populate { log.note($0) }
        var report = ProgressReport(isTerminal: isTerminal)
        return log.all.enumerated().map { index, progress in
            report.text(progress, after: .milliseconds(10 * (index + 1)), width: width)
        } + [report.end(1_000, after: .milliseconds(100))]
    }

    @Test func linesComeATenthAtATime() async throws {
        let reports = try await reports(isTerminal: false)
        #expect(reports.first == "10 %, 100 of 1,000 rows, 10,000 rows/s\n")
        #expect(reports.last == "1,000 rows in 0.1 s, 10,000 rows/s\n")
        #expect(reports.count == 11)
    }

    @Test(arguments: [40, 80, 200]) func aBarFitsIntoItsLine(width: Int) async throws {
        let reports = try await reports(isTerminal: true, width: width)
        #expect(reports[4].contains("500 of 1,000 rows, 10,000 rows/s, 0:01 left"))
        for text in reports.dropLast() {
            let visible = text.replacing("\r", with: "").replacing("\u{1B}[K", with: "")
            #expect(visible.displayWidth < max(width, 50))
        }
        #expect(width < 80 || reports[4].contains("#."))
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")])
    func digitsAreGroupedByThree(number: Int, text: String) { #expect(number.grouped == text) }
}
