import Foundation
import Synchronization

/// A `table-server` whose subscribers hear of every write.
struct SubscriberBenchmarks {
    /// How many listen, and how many writes there are for each round.
    let subscribers: Int
    let writes: Int
    let rounds: Int

    func run(_ report: inout Report) throws {
        report.add(
            "a write until the last of \(subscribers) subscribers of table-server was told, 100 writes a second (target: 50 ms)",
            try telling()
        )
        report.add(
            "10000 rows written by bulk requests of 1000, all changes told by table-server",
            try bursts()
        )
    }

    private func bursts() throws -> [Measurement] {
        let servers = try [10, 1, 0].map { (count: $0, server: try LocalServer(rows: 1)) }
        defer { for (_, server) in servers { server.stop() } }
        let rows = 10_000
        var contest = Contest()
        for (count, server) in servers {
            var next = 1_000_000
            let client = try CurlMultiLoop(1)
            let (loop, hearing) = try listeners(count, to: server)
            contest.add("\(count) \(count == 1 ? "subscriber" : "subscribers")") {
                let deadline = ContinuousClock.now + .seconds(60)
                for _ in 0..<(rows / 1_000) {
                    let people = try (0..<1_000).map { try JSONEncoder().encode(Person(next + $0)) }
                    next += 1_000
                    let body =
                        "[" + people.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ",") + "]"
                    let before = hearing.changes
                    try client.send([("\(server.url)/api/data/bulk/people", body)])
                    while hearing.changes < before + count * 1_000 {
                        guard deadline > .now else {
                            throw UsageError(message: "\(hearing.changes) frames came")
                        }
                        loop.turn()
                    }
                }
                return ""
            }
        }
        return try contest.run(rounds: rounds)
    }

    private func listeners(_ count: Int, to server: LocalServer) throws -> (FrameLoop, Hearing) {
        let (loop, hearing) = (try FrameLoop(), Hearing())
        loop.heard = { hearing.hear($0) }
        guard count > 0 else { return (loop, hearing) }
        try loop.connect(count, to: server.url)
        let deadline = ContinuousClock.now + .seconds(60)
        // The answers to their subscriptions.
        while hearing.answers < count {
            guard deadline > .now else { throw UsageError(message: "not all subscriptions were answered") }
            loop.turn()
        }
        return (loop, hearing)
    }

    private func telling() throws -> [Measurement] {
        let server = try LocalServer(rows: 1)
        defer { server.stop() }
        let (loop, hearing) = try listeners(subscribers, to: server)
        let deadline = ContinuousClock.now + .seconds(60)
        let sent = Mutex<[Int64]>([])
        let failure = Mutex<(any Error)?>(nil)
        let (url, count) = (server.url, writes)
        Thread.detachNewThread {
            do { try Self.write(count, to: url) { time in sent.withLock { $0.append(time) } } } catch {
                failure.withLock { $0 = error }
            }
            loop.wake()
        }
        while hearing.changes < subscribers * writes {
            if let error = failure.withLock({ $0 }) { throw error }
            guard deadline > .now else { throw UsageError(message: "\(hearing.changes) frames came") }
            loop.turn()
        }
        return Self.results(hearing, sent.withLock { $0 }, subscribers)
    }

    private static func write(_ count: Int, to url: String, _ note: (Int64) -> Void) throws {
        let client = try CurlMultiLoop(1)
        let start = Nanoseconds.now
        for number in 0..<count {
            let due = start + Int64(number) * 10_000_000
            while Nanoseconds.now < due { usleep(UInt32(max(1, (due - Nanoseconds.now) / 1_000))) }
            let json = try JSONEncoder().encode(Person(1_000_000 + number))
            note(Nanoseconds.now)
            try client.send([("\(url)/api/data/people", String(decoding: json, as: UTF8.self))])
        }
    }

    private static func results(_ hearing: Hearing, _ sent: [Int64], _ subscribers: Int) -> [Measurement] {
        var (last, first) = (Measurement(name: "the last one"), Measurement(name: "the first one"))
        for (index, revision) in hearing.times.keys.sorted().enumerated() {
            guard let times = hearing.times[revision], index < sent.count else { continue }
            last.seconds.append(Double(times.last - sent[index]) / 1_000_000_000)
            first.seconds.append(Double(times.first - sent[index]) / 1_000_000_000)
        }
        let sorted = last.seconds.sorted()
        last.note = String(format: "99 of 100 within %.1f ms", sorted[sorted.count * 99 / 100] * 1_000)
        return [last, first]
    }
}

/// When the first and the last subscriber heard of each revision; of one thread.
private final class Hearing {
    private(set) var answers = 0
    private(set) var changes = 0
    private(set) var times: [Int64: (first: Int64, last: Int64)] = [:]

    func hear(_ frame: UnsafeRawBufferPointer) {
        // The frames of table-server begin with their type.
        guard frame.starts(with: Self.change) else {
            answers += 1
            return
        }
        changes += 1
        guard let revision = revision(frame) else { return }
        let now = Nanoseconds.now
        times[revision, default: (now, now)].last = now
    }

    private static let change = Array(
        #"{"type":"change","id":"\#(FrameServer.subscription)","revision":"#.utf8
    )

    private func revision(_ frame: UnsafeRawBufferPointer) -> Int64? {
        var number: Int64 = 0
        for byte in frame.dropFirst(Self.change.count) {
            guard (48...57).contains(byte) else { return number }
            number = number * 10 + Int64(byte - 48)
        }
        return nil
    }
}
