import Foundation
import RemoteData

/// A pass over far more rows than may stay.
struct PassBenchmarks {
    let rows: Int

    /// To be measured before anything else, while the process has no freed memory to hide rows in.
    func run(_ report: inout Report) throws -> [String] {
        var options = CollectionOptions()
        options.pageSize = 1_000
        options.isLive = false
        options.cacheLimit = 10_000
        let table = GeneratedTable(rows: rows)
        let people = try RemoteDataCollection<Person>(table: table, options: options)
        var (count, most) = (0, 0)
        let before = Resident.bytes
        let start = ContinuousClock.now
        for person in people {
            count += person.age >= 0 ? 1 : 0
            if count.isMultiple(of: 10_000) { most = max(most, Resident.bytes) }
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        guard count == rows, people.count == rows else {
            throw UsageError(message: "\(count) rows were seen")
        }
        let collection = Measurement(name: "RemoteDataCollection", seconds: [seconds / Double(rows)])
        report.add("a pass over \(rows) rows of which 10000 stay, each", [collection, making()])
        return [
            "resident memory during a pass over \(rows) rows (target: under 100 MB): at most \(most / 1_000_000) MB,"
                + " of them \(before / 1_000_000) MB before it; \(people.loadedCount) rows stayed"
        ]
    }

    /// The part of that which is the table's: making the rows.
    private func making() -> Measurement {
        var bytes = 0
        let start = ContinuousClock.now
        for number in 0..<(rows / 10) { bytes += Person(number).row.json.count }
        let seconds = start.duration(to: .now) / .seconds(1) / Double(rows / 10)
        return Measurement(
            name: "making the rows",
            seconds: [seconds],
            note: "\(bytes * 10 / 1_000_000) MB of JSON"
        )
    }
}
