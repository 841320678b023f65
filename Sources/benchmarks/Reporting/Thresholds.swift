import Foundation

/// How many times as long as the library others have to take, so that nobody makes it slower without noticing.
///
/// They are below what is measured on a quiet machine, by what figures differ from day to day.
struct Thresholds {
    /// What one pair of figures has to be.
    private struct Threshold: Decodable {
        /// With how many rows; with fewer, what is done once counts for more.
        let rows: Int
        /// How the title of the group begins.
        let figure: String
        let rival: String
        /// The least that the rival's time is, in times of the library.
        let least: Double
    }

    private let thresholds: [Threshold]

    /// The file, from the package's folder.
    static let path = "Sources/benchmarks/thresholds.json"

    /// - Throws: When there is no such file, or it holds something else.
    init(path: String) throws {
        guard let data = FileManager.default.contents(atPath: path) else {
            throw UsageError(
                message: "\(path) cannot be read; benchmarks --check runs in the package's folder"
            )
        }
        do { thresholds = try JSONDecoder().decode([Threshold].self, from: data) } catch {
            throw UsageError(message: "\(path) holds no thresholds: \(error)")
        }
    }

    /// Compares what was measured with what it has to be.
    ///
    /// - Parameters:
    ///   - report: What was measured.
    ///   - count: With how many rows.
    /// - Returns: A line for each, and whether all are met; nil where nothing was measured that there is a threshold for.
    func check(_ report: Report, rows count: Int) -> (lines: [String], isMet: Bool)? {
        var (lines, isMet) = ([String](), true)
        for threshold in thresholds where threshold.rows == count {
            guard let group = report.groups.first(where: { $0.title.hasPrefix(threshold.figure) }) else {
                continue
            }
            guard let row = group.rows.first(where: { $0.name == threshold.rival }) else {
                isMet = false
                lines.append("NOBODY \(threshold.figure): there is no \(threshold.rival)")
                continue
            }
            let isFast = row.ratio >= threshold.least
            isMet = isMet && isFast
            let ratio = String(format: "%.2fx, at least %.2fx", row.ratio, threshold.least)
            lines.append("\(isFast ? "ok    " : "SLOWER") \(threshold.figure), \(threshold.rival): \(ratio)")
        }
        return lines.isEmpty ? nil : (lines, isMet)
    }
}
