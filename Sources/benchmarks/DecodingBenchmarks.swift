import Foundation
import RemoteData
import RemoteDataBackends

/// Making elements of rows that are here, in the pages that brought them.
struct DecodingBenchmarks {
    let url: String
    let rows: Int
    let rounds: Int

    func run(_ report: inout Report) throws {
        let table = try RESTTable("\(url)/people")
        let pages = try Self.pages(of: rows)
        var collection = Measurement(name: "RemoteDataCollection, all rows, once")
        var whole = Measurement(name: "JSONDecoder, a page of 1000 at a time")
        var single = Measurement(name: "JSONDecoder, a row at a time")
        var least = Measurement(name: "a decoder that reads nothing, Codable and text alone")
        let json = (0..<min(rows, 10_000)).map { Data(Person($0).row.json) }
        for round in 0...rounds {
            let seconds = [
                try first(table), try decoding([Person].self, pages), try decoding(Person.self, json),
                try constants(),
            ]
            // The first round warms up.
            guard round > 0 else { continue }
            collection.seconds.append(seconds[0] / Double(rows))
            whole.seconds.append(seconds[1] / Double(rows))
            single.seconds.append(seconds[2] / Double(json.count))
            least.seconds.append(seconds[3] / Double(rows))
        }
        report.add(
            "decoding a row of 8 columns (target: under 0.6 µs, 8x faster than JSONDecoder)",
            [collection, whole, single, least]
        )
    }

    /// The seconds that the first iteration over rows takes that are all here.
    private func first(_ table: RESTTable) throws -> Double {
        var options = CollectionOptions()
        options.pageSize = 1_000
        options.isLive = false
        let people = try RemoteDataCollection<Person>(table: table, options: options)
        try people.populate()
        var count = 0
        let start = ContinuousClock.now
        for person in people where person.age >= 0 { count += 1 }
        let seconds = start.duration(to: .now) / .seconds(1)
        guard count == rows else { throw UsageError(message: "\(count) rows were seen") }
        return seconds
    }

    /// The seconds that as many people take which are not read from anything.
    private func constants() throws -> Double {
        let decoder = ConstantDecoder()
        var people: [Person] = []
        people.reserveCapacity(rows)
        let start = ContinuousClock.now
        for _ in 0..<rows { people.append(try Person(from: decoder)) }
        let seconds = start.duration(to: .now) / .seconds(1)
        guard people.count == rows else { throw UsageError(message: "\(people.count) people were made") }
        return seconds
    }

    private func decoding<Value: Decodable>(_ type: Value.Type, _ texts: [Data]) throws -> Double {
        let decoder = JSONDecoder()
        let start = ContinuousClock.now
        for text in texts { _ = try decoder.decode(type, from: text) }
        return start.duration(to: .now) / .seconds(1)
    }

    /// The rows as pages of 1,000 come over the wire.
    private static func pages(of rows: Int) throws -> [Data] {
        stride(from: 0, to: rows, by: 1_000).map { start in
            let json = (start..<min(rows, start + 1_000)).map { Data(Person($0).row.json) }
            return Data("[".utf8) + Data(json.joined(separator: Data(",".utf8))) + Data("]".utf8)
        }
    }
}
