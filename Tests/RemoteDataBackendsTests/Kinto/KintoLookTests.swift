import RemoteData
import RemoteDataNetwork
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

/// Looks at a followed table; the clock is the test's.
@Suite(.timeLimit(.minutes(1))) struct KintoLookTests {
    private let clock = ManualClock()
    /// The records, with the times of their last changes.
    private let records = Shelf()

    private final class Shelf: Sendable {
        let state = Mutex(["a": 1_000, "b": 900])

        func answer(_ request: HTTPRequest) -> HTTPResponse {
            let records = state.withLock { $0 }
            if request.method == "HEAD" { return .kinto("", ["Total-Objects": "\(records.count)"]) }
            if request.url.contains("_fields=") {
                let rows = records.sorted { $0.key < $1.key }.map {
                    #"{"id":"\#($0)","last_modified":\#($1)}"#
                }
                return .kinto(#"{"data":[\#(rows.joined(separator: ","))]}"#)
            }
            return .kintoLook(request) ?? .kinto(#"{"data":[]}"#)
        }
    }

    private func table(_ stub: StubTransport, auditInterval: Duration?) throws -> KintoTable {
        var configuration = RESTConfiguration()
        (configuration.clock, configuration.attempts, configuration.auditInterval) = (clock, 1, auditInterval)
        return try stub.kinto(configuration: configuration).table("t")
    }

    /// Lets the time to the next round pass, so often.
    private func pass(rounds: Int) async {
        for _ in 0..<rounds {
            while !clock.sleepers.contains(.seconds(5)) { await Task.yield() }
            clock.advance(by: .seconds(5))
        }
        while !clock.sleepers.contains(.seconds(5)) { await Task.yield() }
    }

    @Test("Records are counted and sampled once an interval") func recordsAreCountedOnceAnInterval()
        async throws
    {
        let stub = StubTransport { records.answer($0) }
        let feed = try await table(stub, auditInterval: .seconds(60)).subscribe(to: Query(), since: nil)
        #expect(await feed.nextBatch().count == 1)
        await pass(rounds: 36)
        #expect(stub.lines.count { $0.hasPrefix("HEAD") } == 4)
        #expect(stub.lines.count { $0.contains("_fields=") } == 4)
        feed.cancel()
        while !clock.sleepers.isEmpty { await Task.yield() }
    }

    @Test("Where no interval is set no records are sampled") func whereNoIntervalIsSetNoneAreSampled()
        async throws
    {
        let stub = StubTransport { records.answer($0) }
        let reader = FeedReader(try await table(stub, auditInterval: nil).subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live 1000")
        records.state.withLock { $0["old"] = 10 }
        await pass(rounds: 24)
        #expect(stub.lines.count { $0.contains("_fields=") } == 0)
    }

    @Test(
        "A record without a reported change is found within an interval",
        arguments: [
            ["a": 1_000, "b": 900, "old": 10], ["a": 1_000], ["a": 1_000, "b": 950], ["a": 1_000, "c": 900],
        ]
    ) func aRecordWithoutAChangeIsFound(after: [String: Int]) async throws {
        let stub = StubTransport { records.answer($0) }
        let table = try table(stub, auditInterval: .seconds(30))
        let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
        #expect(await reader.said() == "live 1000")
        records.state.withLock { $0 = after }
        await pass(rounds: 6)
        #expect(await reader.said(2) == ["reset", "live 1000"])
    }
}
