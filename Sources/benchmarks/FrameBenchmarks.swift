import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataSQLite
import Synchronization

/// Changes that come over a WebSocket into a fully loaded collection.
struct FrameBenchmarks {
    let rows: Int
    let rounds: Int

    func run(_ report: inout Report) throws {
        let count = min(rows, 100_000)
        report.add(
            "\(count) changes over a WebSocket (target: 600000 a second and 0.6x bare libwebsockets; with a cache 200000)",
            try bursts(count)
        )
        report.add(
            "a change from where it is sent to where it is heard (target: 60 µs more than bare libwebsockets)",
            try latencies()
        )
    }

    private func bursts(_ count: Int) throws -> [Measurement] {
        let folder = FileManager.default.temporaryDirectory.appending(path: "benchmarks-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let contestants: [any FrameContestant] = [
            try LiveContestant("RemoteDataCollection, nobody listens", rows: rows, isTold: false),
            try LiveContestant("RemoteDataCollection, each told to a handler", rows: rows),
            try LiveContestant(
                "RemoteDataCollection with a cache",
                rows: rows,
                isTold: false,
                cache: folder.appending(path: "cache.db").path
            ),
            try RawContestant(rows: rows),
        ]
        defer { for contestant in contestants { contestant.stop() } }
        var results = contestants.map { Measurement(name: $0.name) }
        for round in 0...rounds {
            for (index, contestant) in contestants.enumerated() {
                try contestant.ask("/frames/make?count=\(count)")
                let start = ContinuousClock.now
                try contestant.ask("/frames/tell")
                _ = try contestant.wait(count)
                // The first round warms up.
                if round > 0 { results[index].seconds.append(start.duration(to: .now) / .seconds(1)) }
            }
        }
        return results.map { result in
            var result = result
            result.note = "\(Int(Double(count) / result.median)) a second"
            return result
        }
    }

    /// A thousand changes a second.
    private func latencies() throws -> [Measurement] {
        let contestants: [any FrameContestant] = [
            try LiveContestant(
                "RemoteDataCollection, delivered at once",
                rows: 1_000,
                delivery: .custom { $0() }
            ),
            try LiveContestant("RemoteDataCollection", rows: 1_000),
            try RawContestant(rows: 1_000, isTimed: true),
        ]
        defer { for contestant in contestants { contestant.stop() } }
        return try contestants.map { contestant in
            var result = Measurement(name: contestant.name)
            // The first ones warm up.
            result.seconds = try contestant.latencies(3_000).suffix(2_800)
            let sorted = result.seconds.sorted()
            result.note = String(
                format: "99 of 100 within %.0f µs",
                sorted[sorted.count * 99 / 100] * 1_000_000
            )
            return result
        }
    }
}

/// Somebody who hears changes.
private protocol FrameContestant: AnyObject {
    var name: String { get }
    var server: LocalServer { get }
    /// Blocks until as many changes more have been heard, for a minute at most.
    ///
    /// - Returns: When each was heard, where that is noted.
    func wait(_ count: Int) throws -> [Int64]
    func close()
}

extension FrameContestant {
    func ask(_ path: String) throws { try CurlLoop().get(server.url + path) }

    /// How long each change took that is told alone, in seconds.
    func latencies(_ count: Int) throws -> [Double] {
        try ask("/frames/pace?count=\(count)&wait=1000")
        let heard = try wait(count)
        guard let url = URL(string: server.url + "/frames/sent") else { return [] }
        let sent = try JSONDecoder().decode([Int64].self, from: Data(contentsOf: url))
        return zip(sent, heard).map { Double($1 - $0) / 1_000_000_000 }
    }

    func stop() {
        close()
        server.stop()
    }
}

/// libwebsockets, and nothing that is done with what it hears.
private final class RawContestant: FrameContestant {
    let name = "libwebsockets, by hand"
    let server: LocalServer
    private let loop: FrameLoop
    private var heard = 0
    private var times: [Int64] = []

    init(rows: Int, isTimed: Bool = false) throws {
        server = try LocalServer.pages(rows: rows)
        loop = try FrameLoop()
        loop.heard = { [unowned self] _ in
            heard += 1
            if isTimed { times.append(Nanoseconds.now) }
        }
        try loop.connect(1, to: server.url)
        // The answer to the subscription.
        _ = try wait(1)
    }

    func wait(_ count: Int) throws -> [Int64] {
        let deadline = ContinuousClock.now + .seconds(60)
        while heard < count {
            guard deadline > .now else { throw UsageError(message: "\(heard) of \(count) frames came") }
            loop.turn()
        }
        heard = 0
        defer { times = [] }
        return times
    }

    func close() {}
}

/// A collection that has all its rows.
private final class LiveContestant: FrameContestant {
    let name: String
    let server: LocalServer
    private let people: RemoteDataCollection<Person>
    private let isTold: Bool
    private let heard = HeardTimes()
    private var revision: Int64 = 1

    init(
        _ name: String,
        rows: Int,
        isTold: Bool = true,
        delivery: DeliveryQueue = .privateQueue,
        cache path: String? = nil
    ) throws {
        (self.name, self.isTold) = (name, isTold)
        server = try LocalServer.pages(rows: rows)
        var options = CollectionOptions()
        options.pageSize = 1_000
        options.delivery = delivery
        let (url, chosen) = (server.url, options)
        people = try waitFor {
            let cache =
                if let path { try await LocalStore(path: path, cacheLimit: nil) } else { LocalStore?.none }
            return try await RemoteDataCollection<Person>(
                table: RESTTable("\(url)/people"),
                options: chosen,
                cache: cache
            )
        }
        try people.populate()
        let deadline = ContinuousClock.now + .seconds(60)
        while !people.liveStatus.isLive {
            guard deadline > .now else { throw UsageError(message: "\(name) is not live") }
            usleep(1_000)
        }
        guard isTold else { return }
        let heard = heard
        people.dataChangedHandler = { type in
            if type == .updated { heard.times.withLock { $0.append(Nanoseconds.now) } }
        }
    }

    func wait(_ count: Int) throws -> [Int64] {
        revision += Int64(count)
        let deadline = ContinuousClock.now + .seconds(60)
        while !hasHeard(count) {
            guard deadline > .now else { throw UsageError(message: "\(name) has not heard \(count) changes") }
            usleep(1_000)
        }
        return heard.times.withLock { heard in
            defer { heard = [] }
            return heard
        }
    }

    private func hasHeard(_ count: Int) -> Bool {
        isTold
            ? heard.times.withLock { $0.count >= count } : people.coverage.revision == Revision(revision)
    }

    func close() { people.dataChangedHandler = nil }
}

/// When changes were heard.
private final class HeardTimes: Sendable {
    let times = Mutex<[Int64]>([])
}
