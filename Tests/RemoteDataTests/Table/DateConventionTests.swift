import Foundation
import RemoteData
import Testing

struct DateConventionTests {
    private struct Event: Codable { var objectId: String; var at: Date }

    private static let conventions = [
        DateConvention.epochMilliseconds, .epochSeconds, .iso8601, .spacedISO8601,
    ]

    /// Dates of milliseconds in the years 1 to 9999, many close to each other and to whole seconds.
    private func dates(_ random: inout SeededGenerator, count: Int) -> [Date] {
        var dates: [Date] = []
        for _ in 0..<count {
            let far = random.pick([0, 1_700_000_000, -14_000_000_000, -62_135_769_600, 253_402_200_000])
            let seconds = far + random.number(0..<(random.chance(2) ? 4 : 90_000))
            let milliseconds =
                seconds * 1000 + random.pick([0, 0, 1, 5, 50, 500, 999, random.number(0..<1000)])
            dates.append(Date(timeIntervalSince1970: Double(milliseconds) / 1000))
        }
        return dates
    }

    private func rows(_ dates: [Date], _ convention: DateConvention) throws -> [Row] {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = convention.encoding
        return try dates.enumerated().map { number, date in
            try Row.parse(
                Array(encoder.encode(Event(objectId: "\(number)", at: date)))[...],
                idColumn: "objectId"
            )
        }
    }

    @Test(arguments: conventions, 1...5 as ClosedRange<UInt64>)
    func storedDatesSortAsTheirInstants(convention: DateConvention, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let dates = dates(&random, count: 300)
        let term = SortTerm("at")
        let rows = try rows(dates, convention)
        for (row, date) in zip(rows, dates) {
            let index = random.number(0..<rows.count)
            let order = term.order(row["at"], rows[index]["at"])
            let expected: Order = date < dates[index] ? .ascending : date > dates[index] ? .descending : .same
            #expect(order == expected, "seed \(seed): \(row.text) and \(rows[index].text)")
        }
    }

    @Test(arguments: conventions, 11...13 as ClosedRange<UInt64>)
    func aClauseComparesStoredDatesAsInstants(convention: DateConvention, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let dates = dates(&random, count: 100)
        let rows = try rows(dates, convention)
        for _ in 0..<10 {
            let limit = random.pick(dates)
            let clauses = [
                (try Where(#Predicate<Event> { $0.at < limit }, dates: convention), dates.map { $0 < limit }),
                (
                    try Where(#Predicate<Event> { $0.at == limit }, dates: convention),
                    dates.map { $0 == limit }
                ),
                (
                    try Where(#Predicate<Event> { $0.at >= limit }, dates: convention),
                    dates.map { $0 >= limit }
                ),
            ]
            for (clause, expected) in clauses {
                #expect(rows.map { clause.matches($0) } == expected, "seed \(seed): \(clause)")
            }
        }
    }

    @Test(arguments: conventions) func aStoredDateIsReadBack(convention: DateConvention) throws {
        var random = SeededGenerator(seed: 21)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = convention.decoding
        let dates = dates(&random, count: 200)
        for (row, date) in zip(try rows(dates, convention), dates) {
            let read = try decoder.decode(Event.self, from: Data(row.json)).at
            #expect(abs(read.timeIntervalSince(date)) < 0.000_1, "\(row.text)")
            // Seconds hold whatever a Double does, and a Date counts from another year.
            if convention != .epochSeconds { #expect(try convention.value(read) == row["at"], "\(row.text)") }
        }
    }

    @Test func millisecondsAreRoundedAndNotCutOff() throws {
        let date = Date(timeIntervalSince1970: 1.999_6)
        #expect(try DateConvention.iso8601.value(date) == "1970-01-01T00:00:02.000Z")
        #expect(try DateConvention.epochMilliseconds.value(date) == 2000)
    }
}
