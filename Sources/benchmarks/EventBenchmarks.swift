import Foundation
import RemoteData
import Synchronization

/// Changes of others that come into an open, sorted, fully loaded collection.
struct EventBenchmarks {
    let rows: Int
    let rounds: Int

    func run(_ report: inout Report) throws {
        for size in [rows, rows * 10] {
            let target = size == rows ? "under 20 µs" : "at most twice that of a tenth of the rows"
            report.add(
                "one event into \(size) sorted rows, until the handler ran (target: \(target))",
                try single(size)
            )
            report.add(
                "events in bursts into \(size) sorted rows, each (target: under 5 µs, 200000 a second)",
                try bursts(size) + rivals(size)
            )
            report.add(
                "events in bursts that change one of \(size) rows where it is, each (target: 600000 a second)",
                try bursts(size, areMoves: false)
            )
        }
    }

    /// Each of many events on its own.
    private func single(_ size: Int) throws -> [Measurement] {
        var measurements: [Measurement] = []
        for (name, delivery) in [
            ("RemoteDataCollection", DeliveryQueue.privateQueue),
            ("RemoteDataCollection, delivered at once", .custom { $0() }),
        ] {
            let listener = try Listener(size, delivery: delivery)
            defer { listener.close() }
            var events = EventSource(rows: size)
            var measurement = Measurement(name: name)
            for number in 0..<2_200 {
                let event = events.next()
                let seconds = try listener.seconds(for: [event])
                // The first ones warm up.
                if number >= 200 { measurement.seconds.append(seconds) }
            }
            measurements.append(measurement)
        }
        return measurements + [wakeUps()] + rivals(size)
    }

    /// What it takes to come from the thread that tells an event to the one that hears of it, with nothing to do between:
    /// a task that waits for a stream, and a queue that it hands each event to.
    private func wakeUps() -> Measurement {
        var measurement = Measurement(name: "AsyncStream and DispatchQueue, with nothing to do")
        let (stream, source) = AsyncStream.makeStream(of: ContinuousClock.Instant.self)
        let (queue, done) = (DispatchQueue(label: "benchmarks"), DispatchSemaphore(value: 0))
        let seconds = Mutex<[Double]>([])
        Task {
            for await start in stream {
                queue.async {
                    seconds.withLock { $0.append(start.duration(to: .now) / .seconds(1)) }
                    done.signal()
                }
            }
        }
        for _ in 0..<2_200 {
            source.yield(.now)
            done.wait()
        }
        source.finish()
        // The first ones warm up.
        measurement.seconds = Array(seconds.withLock { $0 }.dropFirst(200))
        return measurement
    }

    /// Many at once, with a handler and without.
    private func bursts(_ size: Int, areMoves: Bool = true) throws -> [Measurement] {
        let listener = try Listener(size, sort: areMoves ? "created" : "", delivery: .privateQueue)
        defer { listener.close() }
        var events = EventSource(rows: size, areMoves: areMoves)
        var told = Measurement(name: "RemoteDataCollection, each told to a handler")
        var untold = Measurement(name: "RemoteDataCollection, nobody listens")
        let burst = 20_000
        var processor: [Double] = []
        for round in 0...rounds {
            let some = (0..<burst).map { _ in events.next() }
            let others = (0..<burst).map { _ in events.next() }
            let start = ProcessorTime.seconds
            let seconds = try listener.seconds(for: some)
            let processorSeconds = ProcessorTime.seconds - start
            let othersSeconds = try listener.secondsUnheard(for: others)
            // The first round warms up.
            guard round > 0 else { continue }
            told.seconds.append(seconds / Double(burst))
            untold.seconds.append(othersSeconds / Double(burst))
            processor.append(processorSeconds / Double(burst))
        }
        let each = processor.sorted()[processor.count / 2] * 1_000_000
        told.note =
            "\(Int(1 / told.median)) a second; \(String(format: "%.2f", each)) µs of processor time each"
        untold.note = "\(Int(1 / untold.median)) a second"
        return [told, untold]
    }

    /// What one would otherwise write: an array, kept in order.
    private func rivals(_ size: Int) -> [Measurement] {
        var inserting = Measurement(name: "[Person], found and inserted")
        var sorting = Measurement(name: "[Person], sorted again")
        var people = (0..<size).map { Person($0) }
        var events = EventSource(rows: size)
        let decoder = JSONDecoder()
        for number in 0..<40 {
            let event = events.next()
            let sorts = number % 10 == 0
            let start = ContinuousClock.now
            apply(event, to: &people, decoder, sorts: sorts)
            let seconds = start.duration(to: .now) / .seconds(1)
            if sorts { sorting.seconds.append(seconds) } else { inserting.seconds.append(seconds) }
        }
        return [inserting, sorting]
    }

    private func apply(_ event: ChangeEvent, to people: inout [Person], _ decoder: JSONDecoder, sorts: Bool) {
        guard case .change(let change) = event, let row = change.row,
            let person = try? decoder.decode(Person.self, from: Data(row.json)),
            let old = people.firstIndex(where: { $0.objectId == person.objectId })
        else { return }
        let isInOrder = { (left: Person, right: Person) in
            (left.created, left.objectId) < (right.created, right.objectId)
        }
        if sorts {
            people[old] = person
            people.sort(by: isInOrder)
            return
        }
        people.remove(at: old)
        var (low, high) = (0, people.count)
        while low < high {
            let middle = (low + high) / 2
            if isInOrder(people[middle], person) { low = middle + 1 } else { high = middle }
        }
        people.insert(person, at: low)
    }
}

/// A collection with all its rows, and when it has told of them.
private final class Listener: Sendable {
    private let table: GeneratedTable
    private let people: RemoteDataCollection<Person>
    /// How many events are still to be told, and when the last of them was.
    private let missing = Mutex((count: 0, end: ContinuousClock.now))
    private let done = DispatchSemaphore(value: 0)

    init(_ rows: Int, sort: String = "created", delivery: DeliveryQueue) throws {
        table = GeneratedTable(rows: rows, isLive: true)
        var options = CollectionOptions()
        options.pageSize = 1_000
        options.delivery = delivery
        people = try RemoteDataCollection<Person>(table: table, sort: sort, options: options)
        try people.populate()
        listen()
    }

    private func listen() {
        people.dataChangedHandler = { [self] type in
            guard type == .updated else { return }
            let isLast = missing.withLock { missing in
                missing.count -= 1
                if missing.count == 0 { missing.end = .now }
                return missing.count == 0
            }
            if isLast { done.signal() }
        }
    }

    /// How long it takes until events have been told.
    func seconds(for events: [ChangeEvent]) throws -> Double {
        missing.withLock { $0.count = events.count }
        let start = ContinuousClock.now
        table.tell(events)
        guard done.wait(timeout: .now() + 60) == .success else {
            let count = missing.withLock { $0.count }
            throw UsageError(message: "\(count) of \(events.count) events were not told")
        }
        return start.duration(to: missing.withLock { $0.end }) / .seconds(1)
    }

    /// How long it takes until events have been applied of which nobody is told.
    func secondsUnheard(for events: [ChangeEvent]) throws -> Double {
        guard case .change(let last)? = events.last else { return 0 }
        people.dataChangedHandler = nil
        defer { listen() }
        let start = ContinuousClock.now
        table.tell(events)
        while people.coverage.revision != last.revision {
            guard start.duration(to: .now) < .seconds(60) else {
                throw UsageError(message: "\(events.count) events were not applied")
            }
            usleep(100)
        }
        return start.duration(to: .now) / .seconds(1)
    }

    /// Lets the collection go, whose handler holds this.
    func close() { people.dataChangedHandler = nil }
}

/// Updates of people chosen at random, each of which moves to another place by when it was created, or stays where it is by its id.
private struct EventSource {
    private var random = SplitMix(state: 1)
    private var created: [Int64]
    private var revision: Int64 = 1
    private let areMoves: Bool

    init(rows: Int, areMoves: Bool = true) {
        created = (0..<rows).map { Person($0).created }
        self.areMoves = areMoves
    }

    mutating func next() -> ChangeEvent {
        let number = Int.random(in: 0..<created.count, using: &random)
        var person = Person(number)
        let values: [Value] = areMoves ? [.integer(created[number])] : []
        let previous = Key(values: values, id: .text(person.objectId))
        let other = Int.random(in: 0..<created.count, using: &random)
        person.created = Person(other).created + Int64.random(in: 0..<1_000, using: &random)
        created[number] = person.created
        revision += 1
        let row = person.row.at(Revision(revision))
        let change = Change(
            revision: Revision(revision),
            kind: .updated,
            row: row,
            previousKey: previous
        )
        return .change(change)
    }
}

/// The same random numbers in each run (SplitMix64).
struct SplitMix: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
