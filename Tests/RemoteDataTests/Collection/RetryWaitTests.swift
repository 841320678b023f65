import RemoteDataExecution
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// How long a collection waits between attempts, and what ends a wait early.
@Suite(.timeLimit(.minutes(2))) struct RetryWaitTests {
    private let clock = ManualClock()

    /// Options with waits as long as they can be.
    private var options: CollectionOptions {
        var options = CollectionOptions().with(clock: clock)
        options.surroundings.chance = { 1 }
        return options
    }

    @Test("A feed that worked for a while is subscribed to again at once")
    func endedFeedsResubscribeAtOnce() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        for number in 1...12 {
            try await eventually("changes come again") { table.count(of: .subscribe) == number }
            try await people.untilLive()
            try await eventually("it is known") { people.liveStatus.isLive }
            clock.advance(by: .seconds(2))
            table.endFeeds()
        }
        try await eventually("changes come again") { table.count(of: .subscribe) == 13 }
        #expect(clock.sleepers.isEmpty)
    }

    @Test("A table that refuses feeds for a while is asked again within five seconds")
    func refusedFeedsWaitFiveSecondsAtMost() async throws {
        let table = try await makePeople(3)
        table.fail(.subscribe, times: 20)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        var waits: [Duration] = []
        for _ in 0..<20 {
            await clock.waitForSleepers()
            waits += clock.sleepers
            clock.advance(by: clock.sleepers.first ?? .zero)
            try await eventually("it is asked") { table.count(of: .subscribe) > waits.count }
        }
        try await people.untilLive()
        #expect(waits.prefix(3) == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(waits.max() == .seconds(5))
    }

    @Test("What was missed is compared again within five seconds")
    func failedRepairsWaitFiveSecondsAtMost() async throws {
        let base = MemoryTable("people", logCapacity: 1)
        try await makePeople(3, in: base)
        let table = FaultyTable(base)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        try await people.untilLive()
        _ = try await people.row(at: 0)
        table.fail(.count, times: 20)
        table.send(.reset)
        var waits: [Duration] = []
        for number in 1...20 {
            try await eventually("it is tried") { table.count(of: .count) > number }
            await clock.waitForSleepers()
            waits.append(clock.sleepers[0])
            clock.advance(by: clock.sleepers[0])
        }
        try await eventually("it is live") { people.liveStatus.isLive }
        #expect(waits.prefix(3) == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(waits.max() == .seconds(5))
    }

    @Test("Refused credentials are tried again within a minute")
    func refusedCredentialsWaitAMinuteAtMost() async throws {
        let table = try await makePeople(3)
        table.fail(.subscribe, with: RemoteDataError(.unauthorized, "Who are you?"), times: 12)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        var last = Duration.zero
        for number in 1...12 {
            await clock.waitForSleepers()
            last = clock.sleepers[0]
            clock.advance(by: last)
            try await eventually("it is asked") { table.count(of: .subscribe) > number }
        }
        try await people.untilLive()
        #expect(last == .seconds(60))
    }

    @Test("A comparison refused for its credentials is tried again within a minute")
    func refusedRepairsWaitAMinuteAtMost() async throws {
        let base = MemoryTable("people", logCapacity: 1)
        try await makePeople(3, in: base)
        let table = FaultyTable(base)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        try await people.untilLive()
        _ = try await people.row(at: 0)
        table.fail(.count, with: RemoteDataError(.unauthorized, "Who are you?"), times: 10)
        table.send(.reset)
        var last = Duration.zero
        for number in 1...10 {
            try await eventually("it is tried") { table.count(of: .count) > number }
            await clock.waitForSleepers()
            last = clock.sleepers[0]
            clock.advance(by: last)
        }
        try await eventually("it is live") { people.liveStatus.isLive }
        #expect(last == .seconds(60))
    }

    @Test("A refused feed is asked for again when the server has asked to")
    func retryAfterOfAFeedIsKept() async throws {
        let table = try await makePeople(3)
        table.fail(.subscribe, with: .busy(for: .seconds(9)), times: 1)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        await clock.waitForSleepers()
        people.reconnect()
        #expect(clock.sleepers == [.seconds(9)])
        clock.advance(by: .seconds(9))
        try await people.untilLive()
    }

    @Test("A server that asks for a day is asked again after five minutes", arguments: [false, true])
    func aDayIsFiveMinutes(isRepair: Bool) async throws {
        let base = MemoryTable("people", logCapacity: 1)
        try await makePeople(3, in: base)
        let table = FaultyTable(base)
        if !isRepair { table.fail(.subscribe, with: .busy(for: .seconds(86_400)), times: 1) }
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        if isRepair {
            try await people.untilLive()
            _ = try await people.row(at: 0)
            table.fail(.count, with: .busy(for: .seconds(86_400)), times: 1)
            table.send(.reset)
        }
        await clock.waitForSleepers()
        #expect(clock.sleepers == [.seconds(300)])
        clock.advance(by: .seconds(300))
        try await eventually("it is live") { people.liveStatus.isLive }
    }

    @Test("A count is asked for again when the server has asked to")
    func retryAfterOfACountIsKept() async throws {
        let table = try await makePeople(3)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        try await people.untilLive()
        table.fail(.count, with: .busy(for: .seconds(9)), times: 1)
        people.state.withLock { $0.core.noteDoubt() }
        people.scheduleDelivery()
        await clock.waitForSleepers()
        #expect(clock.sleepers == [.seconds(9)])
    }

    @Test("reconnect() ends the wait for a feed, and that of a repair")
    func reconnectingEndsWaits() async throws {
        let base = MemoryTable("people", logCapacity: 1)
        try await makePeople(3, in: base)
        let table = FaultyTable(base)
        table.fail(.subscribe, times: 1)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        await clock.waitForSleepers()
        people.reconnect()
        try await people.untilLive()
        _ = try await people.row(at: 0)
        table.fail(.count, times: 1)
        table.send(.reset)
        await clock.waitForSleepers()
        people.reconnect()
        try await eventually("it is live") { people.liveStatus.isLive }
        #expect(clock.now.offset == .zero)
    }

    @Test("A feed that is live again ends the wait of a repair")
    func liveFeedsEndRepairWaits() async throws {
        let base = MemoryTable("people", logCapacity: 1)
        try await makePeople(3, in: base)
        let table = FaultyTable(base)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        try await people.untilLive()
        _ = try await people.row(at: 0)
        clock.advance(by: .seconds(2))
        table.fail(.count, times: 1)
        table.send(.reset)
        await clock.waitForSleepers()
        table.endFeeds()
        try await eventually("it is live") { people.liveStatus.isLive }
        #expect(clock.now.offset == .seconds(2))
    }

    @Test("What fails is tried until the deadline, with ever shorter waits at its end")
    func attemptsGoOnUntilTheDeadline() async throws {
        let people = try await RemoteDataCollection<Person>(table: try await makePeople(3), options: options)
        try await people.untilLive()
        let attempts = Mutex<[Duration]>([])
        let attempt = Task {
            try await people.persistently(within: .seconds(7)) { [clock] () async throws(RemoteDataError) in
                attempts.withLock { $0.append(clock.now.offset) }
                throw RemoteDataError(.unreachable, "The server does not answer.")
            }
        }
        for number in 1...9 {
            try await eventually("it is tried") { attempts.withLock { $0.count } == number }
            guard number < 9 else { break }
            await clock.waitForSleepers()
            clock.advance(by: clock.sleepers[0])
        }
        await #expect(throws: RemoteDataError.self) { try await attempt.value }
        let times = attempts.withLock { $0 }
        #expect(times.prefix(4) == [.zero, .milliseconds(200), .milliseconds(600), .milliseconds(1_400)])
        #expect(try #require(times.last) > .milliseconds(6_950))
    }

    @Test("What the server has asked to leave alone until after the deadline fails at once")
    func attemptsHeedTheServer() async throws {
        let people = try await RemoteDataCollection<Person>(table: try await makePeople(3), options: options)
        let attempts = Mutex(0)
        await #expect(throws: RemoteDataError.self) {
            try await people.persistently(within: .seconds(7)) { () async throws(RemoteDataError) in
                attempts.withLock { $0 += 1 }
                throw .busy(for: .seconds(9))
            }
        }
        #expect(attempts.withLock { $0 } == 1)
    }

    @Test("Everything that waits for one server goes on together")
    func oneServerEndsAllWaits() async throws {
        let table = ServedTable(base: try await makePeople(3))
        let other = ServedTable(base: try await makePeople(3), retrySignal: table.retrySignal)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        let others = try await RemoteDataCollection<Person>(table: other, options: options)
        let alone = try await RemoteDataCollection<Person>(table: try await makePeople(3), options: options)
        for rows in [people, others, alone] { try await rows.untilLive() }
        for table in [table, other] {
            table.base.fail(.subscribe, times: 1)
            table.base.endFeeds()
        }
        await clock.waitForSleepers(2)
        alone.reconnect()
        #expect(table.retrySignal.waiterCount == 2)
        others.reconnect()
        for rows in [people, others] { try await eventually("it is live") { rows.liveStatus.isLive } }
        #expect(clock.now.offset == .zero)
    }

    @Test(
        "An answer ends no wait for what the server itself has refused",
        arguments: [
            RemoteDataError(.unavailable, "Something is odd.", status: 500),
            RemoteDataError(.rateLimited, "Not so fast.", status: 429),
            RemoteDataError(.unauthorized, "Who are you?"),
            RemoteDataError(.unknownColumn, "There is no column x."),
        ]
    )
    func answersEndNoWaitsForRefusals(error: RemoteDataError) async throws {
        let table = ServedTable(base: try await makePeople(3))
        table.base.fail(.subscribe, with: error, times: 1)
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        await clock.waitForSleepers()
        table.retrySignal.answered()
        #expect(table.retrySignal.waiterCount == 1)
        clock.advance(by: .seconds(1))
        try await people.untilLive()
    }

    /// A table that wraps another one.
    enum Wrapper: CaseIterable {
        case access, checked, collated, faulty, limited, placing, subQueries, several

        func wrap(_ table: any Table) throws -> any Table {
            switch self {
            case .access: return AccessTable(table, user: try AccessUser("ann"))
            case .checked:
                let access = RowAccess(.nobody, newRows: .none, idColumn: table.idColumn)
                return CheckedTable(base: table, access: access)
            case .collated: return CollatedTable(table)
            case .faulty: return FaultyTable(table)
            case .limited: return LimitedTable(table, to: table.capabilities)
            case .placing: return PlacingTable(table, query: Query(), options: CollectionOptions())
            case .subQueries: return SubQueryTable(table) { _, _ in nil }
            case .several: return CollatedTable(AccessTable(table, user: try AccessUser("ann")))
            }
        }
    }

    @Test("A table that wraps another one shares its server's waits", arguments: Wrapper.allCases)
    func wrappersShareWaits(wrapper: Wrapper) async throws {
        let table = ServedTable(base: try await makePeople(0))
        let wrapping = try wrapper.wrap(table)
        #expect(wrapping.makeRetrySignal(clock: clock) === table.retrySignal)
        wrapping.reconnect()
        #expect(table.retrySignal.wakes == 1)
    }

    @Test("A collection over a table that wraps another one wakes what waits for the server")
    func wrappedCollectionsWakeOthers() async throws {
        let table = ServedTable(base: try await makePeople(3))
        let people = try await RemoteDataCollection<Person>(table: table, options: options)
        let others = try await RemoteDataCollection<Person>(table: CollatedTable(table), options: options)
        for rows in [people, others] { try await rows.untilLive() }
        table.base.fail(.subscribe, times: 2)
        table.base.endFeeds()
        await clock.waitForSleepers(2)
        #expect(table.retrySignal.waiterCount == 2)
        others.reconnect()
        for rows in [people, others] { try await eventually("it is live") { rows.liveStatus.isLive } }
        #expect(clock.now.offset == .zero)
    }
}

/// A table of a server that other tables share.
private struct ServedTable: RetryingTable, ForwardingTable {
    let base: FaultyTable
    var retrySignal = RetrySignal()
    var wrapped: any Table { base }

    func reconnect() { retrySignal.wake() }
}
