import RemoteData
import Testing

@testable import live_table

@Suite(.timeLimit(.minutes(1)))
struct ProgressReportTests {
    /// What is reported while 1,000 rows are loaded, 100 every 10 ms.
    private func reports(isTerminal: Bool, width: Int = 80) -> [String] {
        var report = ProgressReport(isTerminal: isTerminal)
        return (1...10).map { number in
            let progress = LoadProgress(loaded: number * 100, total: 1_000)
            return report.text(progress, after: .milliseconds(10 * number), width: width)
        } + [report.end(1_000, after: .milliseconds(100))]
    }

    @Test func linesComeATenthAtATime() {
        let reports = reports(isTerminal: false)
        #expect(reports.first == "10 %, 100 of 1,000 rows, 10,000 rows/s\n")
        #expect(reports.last == "1,000 rows in 0.1 s, 10,000 rows/s\n")
        #expect(reports.count == 11)
    }

    @Test(arguments: [20, 40, 80, 200]) func aBarFitsIntoItsLine(width: Int) {
        let reports = reports(isTerminal: true, width: width)
        #expect(reports[4].contains("500 of 1,000 "))
        #expect(width < 80 || reports[4].contains("500 of 1,000 rows, 10,000 rows/s, 0:01 left"))
        for text in reports.dropLast() {
            let visible = text.replacing("\r", with: "").replacing("\u{1B}[K", with: "")
            #expect(visible.displayWidth < width)
        }
        #expect(width < 80 || reports[4].contains("#."))
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1_000, "1,000"), (-1_234_567, "-1,234,567")])
    func digitsAreGroupedByThree(number: Int, text: String) { #expect(number.grouped == text) }
}
