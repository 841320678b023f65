import Foundation
import RemoteData

/// Pages that come into a collection of which little is here.
struct PageBenchmarks {
    let rows: Int

    func run(_ report: inout Report) throws {
        let size = rows * 10
        let title =
            "a page of 1000 rows put in its place among \(size), from the table's answer on (target: under 1 ms)"
        report.add(title, [try merging(size), try inserting(size)])
    }

    /// Every page behind and in front of others, in no order.
    private func merging(_ size: Int) throws -> Measurement {
        let table = GeneratedTable(rows: size)
        var options = CollectionOptions()
        options.pageSize = 1_000
        let people = try RemoteDataCollection<Person>(table: table, options: options)
        var measurement = Measurement(name: "RemoteDataCollection")
        var processor: [Double] = []
        var random = SplitMix(state: 1)
        for page in (0..<(size / 1_000)).shuffled(using: &random).prefix(200) {
            let range = (page * 1_000)..<(page * 1_000 + 1_000)
            let (seconds, processorSeconds) = try waitFor {
                try await people.prefetch(range)
                guard let answer = table.lastAnswer else {
                    throw UsageError(message: "no page was asked for")
                }
                return (
                    answer.time.duration(to: .now) / .seconds(1), ProcessorTime.seconds - answer.processor
                )
            }
            measurement.seconds.append(seconds)
            processor.append(processorSeconds)
        }
        guard people.loadedCount == 1_000 * measurement.seconds.count else {
            throw UsageError(message: "\(people.loadedCount) rows are here")
        }
        let each = processor.sorted()[processor.count / 2] * 1_000
        measurement.note =
            "one thread change included; \(String(format: "%.2f", each)) ms of processor time"
        return measurement
    }

    /// An array in order, and a dictionary that knows where an id is.
    private func inserting(_ size: Int) throws -> Measurement {
        var measurement = Measurement(name: "[Person] in order and [id: position]")
        var (people, positions) = ([Person](), [String: Int]())
        var random = SplitMix(state: 1)
        for page in (0..<(size / 1_000)).shuffled(using: &random).prefix(200) {
            let rows = ((page * 1_000)..<(page * 1_000 + 1_000)).map { Person($0) }
            let start = ContinuousClock.now
            let id = rows[0].objectId
            let place = people.firstIndex { $0.objectId > id } ?? people.count
            people.insert(contentsOf: rows, at: place)
            for position in place..<people.count { positions[people[position].objectId] = position }
            measurement.seconds.append(start.duration(to: .now) / .seconds(1))
        }
        return measurement
    }
}
