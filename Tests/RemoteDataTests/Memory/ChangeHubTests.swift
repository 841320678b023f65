import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

struct ChangeHubTests {
    private func created(_ number: Int64) -> RowChange {
        let row = Row(
            id: .integer(number),
            revision: Revision(number),
            json: Array("{\"n\":\(number)}".utf8)[...]
        )
        return RowChange(revision: Revision(number), effect: .created(row))
    }

    /// What is buffered in a feed, as words.
    private func words(_ feed: ChangeFeed, _ count: Int = .max) async -> [String] {
        var words: [String] = []
        while words.count < count {
            let events = await feed.nextBatch()
            if events.isEmpty { break }
            for event in events {
                switch event {
                case .live(let revision): words.append("live \(revision ?? .zero)")
                case .change(let change): words.append("\(change.kind) \(change.revision ?? .zero)")
                case .progress(let revision): words.append("progress \(revision)")
                case .reset: words.append("reset")
                case .interrupted: words.append("interrupted")
                }
            }
        }
        return words
    }

    private let isLarge = Where.comparison(.column("n"), .greater, .literal(10))

    @Test func aSubscriptionBetweenTwoWritesGetsExactlyTheSecond() async {
        let hub = ChangeHub()
        let early = hub.subscribe(to: Query(), start: .now(.zero))
        hub.publish([created(1)])
        let late = hub.subscribe(to: Query(), start: .now(Revision(1)))
        hub.publish([created(2)])
        hub.deliver()
        #expect(await words(early, 3) == ["live 0", "created 1", "created 2"])
        #expect(await words(late, 2) == ["live 1", "created 2"])
    }

    @Test func changesOfOthersAreToldAsOneProgress() async {
        let hub = ChangeHub()
        let feed = hub.subscribe(to: Query(isLarge), start: .now(.zero))
        for number in 1...5 as ClosedRange<Int64> { hub.publish([created(number)]) }
        hub.deliver()
        hub.publish([created(6), created(11), created(7)])
        hub.deliver()
        hub.publish([created(8), created(12)])
        hub.deliver()
        let expected = ["live 0", "progress 5", "created 11", "progress 7", "created 12"]
        #expect(await words(feed, 5) == expected)
    }

    @Test func resumingDeliversTheLogFirst() async {
        let hub = ChangeHub()
        let log = [created(3), created(11), created(13), created(4)].enumerated().map { index, change in
            RowChange(revision: Revision(Int64(index + 3)), effect: change.effect)
        }
        let feed = hub.subscribe(to: Query(isLarge), start: .after(Revision(2), log[...], upTo: Revision(6)))
        hub.publish([created(20)])
        hub.deliver()
        let expected = ["live 2", "created 4", "created 5", "progress 6", "created 20"]
        #expect(await words(feed, 5) == expected)
    }

    @Test func aGapIsAResetAndThenLive() async {
        let hub = ChangeHub()
        let feed = hub.subscribe(to: Query(), start: .gap(Revision(9)))
        hub.deliver()
        #expect(await words(feed, 2) == ["reset", "live 9"])
    }

    @Test func aFeedThatOverflowsIsResetAndToldWhereItIsCompleteAgain() async {
        let hub = ChangeHub()
        let feed = hub.subscribe(to: Query(), start: .now(.zero), capacity: 3)
        for number in 1...4 as ClosedRange<Int64> {
            hub.publish([created(number)])
            hub.deliver()
        }
        #expect(await words(feed, 3) == ["reset", "live 3", "created 4"])
    }

    @Test func progressAloneNeverOverflowsAFeed() async {
        let hub = ChangeHub()
        let feed = hub.subscribe(to: Query(isLarge), start: .now(.zero), capacity: 3)
        for number in 1...100 as ClosedRange<Int64> {
            hub.publish([RowChange(revision: Revision(number), effect: created(1).effect)])
            hub.deliver()
        }
        #expect(await words(feed, 2) == ["live 0", "progress 100"])
    }

    @Test func aQueueThatOverflowsResetsEverySubscription() async {
        let hub = ChangeHub(limit: (changes: 3, bytes: 1_000))
        let feed = hub.subscribe(to: Query(), start: .now(.zero))
        for number in 1...5 as ClosedRange<Int64> { hub.publish([created(number)]) }
        hub.deliver()
        #expect(await words(feed, 4) == ["live 0", "reset", "live 4", "created 5"])
    }

    @Test("Where changes of too many bytes wait, every subscription is reset")
    func bytes() async {
        let hub = ChangeHub(limit: (changes: 100, bytes: 20))
        let feed = hub.subscribe(to: Query(), start: .now(.zero))
        for number in 1...5 as ClosedRange<Int64> { hub.publish([created(number)]) }
        hub.deliver()
        #expect(await words(feed, 5) == ["live 0", "reset", "live 3", "created 4", "created 5"])
    }

    @Test("A subscription ends with an error where its clause takes too much work", arguments: [false, true])
    func tooMuchWork(isQueued: Bool) async throws {
        let hub = ChangeHub(delivery: isQueued ? .queued : .inPlace)
        let heavy = hub.subscribe(
            to: Query(try Where("s MATCHES '(.{0,60}){0,60}Q'")),
            start: .now(.zero),
            access: nil
        )
        let other = hub.subscribe(to: Query(), start: .now(.zero))
        let text = String(repeating: "x", count: 20_000)
        let row = Row(id: 1, revision: Revision(1), json: Array(#"{"s":"\#(text)"}"#.utf8)[...])
        hub.publish([RowChange(revision: Revision(1), effect: .created(row))])
        hub.publish([created(2)])
        hub.deliver()
        #expect(await words(heavy, 2) == ["live 0", "interrupted"])
        #expect(await heavy.nextBatch().isEmpty)
        #expect(await words(other, 3) == ["live 0", "created 1", "created 2"])
        #expect(hub.filters.isEmpty)
    }

    @Test("A clause has more steps for larger rows")
    func largeRows() async throws {
        let hub = ChangeHub()
        let feed = hub.subscribe(to: Query(try Where("s > '' AND n IS NULL")), start: .now(.zero))
        let text = String(repeating: "x", count: WorkBudget.changeSteps)
        let row = Row(id: 1, revision: Revision(1), json: Array(#"{"s":"\#(text)"}"#.utf8)[...])
        hub.publish([RowChange(revision: Revision(1), effect: .updated(before: row, after: row))])
        hub.deliver()
        #expect(await words(feed, 2) == ["live 0", "updated 1"])
    }

    @Test("A subscription that is cancelled while it ends for its clause ends once")
    func cancelledWhileEnding() async throws {
        for _ in 0..<20 {
            let hub = ChangeHub()
            let clause = try Where("s MATCHES '(.{0,60}){0,60}Q'")
            let heavy = hub.subscribe(to: Query(clause), start: .now(.zero))
            let other = hub.subscribe(to: Query(try Where("s MATCHES 'y'")), start: .now(.zero))
            hub.deliver()
            let text = String(repeating: "x", count: 5_000)
            let row = Row(id: 1, revision: Revision(1), json: Array(#"{"s":"\#(text)"}"#.utf8)[...])
            hub.publish([RowChange(revision: Revision(1), effect: .created(row))])
            async let delivered: Void = hub.deliver()
            heavy.cancel()
            await delivered
            let small = Row(id: 2, revision: Revision(2), json: Array(#"{"s":"y"}"#.utf8)[...])
            hub.publish([RowChange(revision: Revision(2), effect: .created(small))])
            hub.deliver()
            #expect(await words(other, 3) == ["live 0", "progress 1", "created 2"])
        }
    }

    @Test("Who asks for a value gets what a look at each change finds", arguments: 0..<20 as Range<UInt64>)
    func index(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let hub = ChangeHub()
        let values = ["1", "1.0", "2", "'1'", "'é'", "TRUE", "NULL", "'[1]'"]
        func value() -> String { values[random.number(0..<values.count)] }
        var queries: [(Query, ChangeFeed)] = []
        for _ in 0..<40 {
            let clause =
                switch random.number(0..<5) {
                case 0: "\(value()) = a"
                case 1: "a = \(value()) AND b = \(value())"
                case 2: "b > 0 AND a = \(value())"
                case 3: "a = \(value()) OR b = \(value())"
                default: "a = \(value())"
                }
            let query = Query(try Where(clause))
            queries.append((query, hub.subscribe(to: query, start: .now(.zero))))
        }
        let contents = ["1", "1.0", "2", #""1""#, #""é""#, "true", "null", "[1]"]
        func row(_ number: Int64) -> Row {
            let (a, b) = (contents[random.number(0..<8)], contents[random.number(0..<8)])
            return Row(id: 1, revision: Revision(number), json: Array(#"{"a":\#(a),"b":\#(b)}"#.utf8)[...])
        }
        var changes: [RowChange] = []
        for number in 1...30 as ClosedRange<Int64> {
            let effect: RowChange.Effect =
                switch random.number(0..<4) {
                case 0: .created(row(number))
                case 1: .deleted(row(number))
                default: .updated(before: row(number), after: row(number))
                }
            changes.append(RowChange(revision: Revision(number), effect: effect))
        }
        for change in changes {
            hub.publish([change])
            if random.chance(2) { hub.deliver() }
        }
        hub.deliver()
        for (query, feed) in queries {
            let prepared = PreparedQuery(query)
            let expected = changes.compactMap { $0.seen(by: prepared) }
                .map { "\($0.kind) \($0.revision ?? .zero)" }
            hub.finish()
            let found = await words(feed).filter { !$0.hasPrefix("live") && !$0.hasPrefix("progress") }
            #expect(found == expected, "\(query.filter.map { "\($0)" } ?? "")")
        }
    }

    @Test func aReleasedFeedEndsItsSubscription() {
        let hub = ChangeHub()
        do {
            let feed = hub.subscribe(to: Query(isLarge), start: .now(.zero))
            hub.deliver()
            #expect(hub.filters == [isLarge])
            _ = feed
        }
        #expect(!hub.isListenedTo)
        #expect(hub.filters.isEmpty)
    }

    @Test func aCancelledFeedEndsItsSubscription() async {
        let hub = ChangeHub()
        let feed = hub.subscribe(to: Query(), start: .now(.zero))
        hub.deliver()
        feed.cancel()
        #expect(!hub.isListenedTo)
        hub.publish([created(1)])
        hub.deliver()
        #expect(await feed.nextBatch().isEmpty)
    }

    @Test func aFinishedHubEndsItsFeedsAfterWhatWasPublished() async {
        let hub = ChangeHub()
        let feed = hub.subscribe(to: Query(), start: .now(.zero))
        hub.publish([created(1)])
        hub.finish()
        #expect(await words(feed, 2) == ["live 0", "created 1"])
        #expect(await feed.nextBatch().isEmpty)
        #expect(await hub.subscribe(to: Query(), start: .now(.zero)).nextBatch().isEmpty)
    }

    /// Serializes writes as a table does.
    private final class Writer: Sendable {
        let count = Mutex(0)
    }

    @Test func eventsKeepTheirOrderWhenManyDeliver() async {
        let hub = ChangeHub()
        let feed = hub.subscribe(to: Query(), start: .now(.zero), capacity: 100_000)
        let writer = Writer()
        let changes = (1...4_000).map { created($0) }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        writer.count.withLock { count in
                            hub.publish([changes[count]])
                            count += 1
                        }
                        hub.deliver()
                    }
                }
            }
        }
        #expect(await words(feed, 4_001) == ["live 0"] + (1...4_000).map { "created \($0)" })
    }
}
