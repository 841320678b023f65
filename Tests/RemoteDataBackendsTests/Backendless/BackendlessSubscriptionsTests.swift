import RemoteData
import Testing

@testable import RemoteDataBackends

struct BackendlessSubscriptionsTests {
    private var machine = BackendlessSubscriptions(clientID: "c", .byBytes, hasAccount: true)
    private let everything = Query()
    private let unreachable = RemoteDataError(.unreachable, "gone")

    @Test mutating func aTableIsHeardOfWhenAllItsEventsAre() {
        #expect(words(machine.begin(1, table: "people", query: everything)) == ["open 1"])
        #expect(words(machine.connected(1)) == asked("people") + ["deadline 1"])
        for id in 1...7 { #expect(words(machine.isReady(id)) == []) }
        #expect(words(machine.isReady(7)) == [])
        #expect(words(machine.isReady(8)) == ["confirm 1", "1: live"])
        #expect(words(machine.isReady(8)) == [])
        // Who comes later needs nothing else.
        #expect(words(machine.begin(2, table: "people", query: everything)) == ["2: live"])
        #expect(
            words(machine.begin(3, table: "places", query: everything)) == asked("places", from: 9)
        )
    }

    @Test mutating func whatIsToldShowsThatItIsHeard() {
        _ = machine.begin(1, table: "people", query: everything)
        _ = machine.connected(1)
        for id in 2...8 { _ = machine.isReady(id) }
        #expect(machine.hears(.created, #"{"objectId":"a"}"#) == ["confirm 1", "1: live", "1: created a"])
    }

    @Test mutating func theSocketStaysForAWhileWhenNobodyListens() {
        _ = machine.open("people", "places")
        #expect(words(machine.end(1)) == (1...8).map { "say 1 SUB_OFF c-\($0)" })
        #expect(words(machine.end(2)) == (9...16).map { "say 1 SUB_OFF c-\($0)" } + ["linger 3"])
        #expect(
            words(machine.begin(3, table: "people", query: everything)).first
                == "say 1 SUB_ON c-17 people created"
        )
        #expect(words(machine.lingered(3)) == [])
        _ = machine.end(3)
        #expect(words(machine.lingered(5)) == ["close 1"])
        #expect(words(machine.ended(1, nil)) == [])
        #expect(words(machine.begin(4, table: "people", query: everything)) == ["open 2"])
    }

    @Test mutating func aServerThatNobodyHoldsClosesAtOnce() {
        _ = machine.open("people")
        #expect(words(machine.released()) == [])
        #expect(words(machine.end(1)).last == "close 1")
    }

    @Test mutating func everythingIsSubscribedAgainWithTheSameIDs() {
        _ = machine.open("people", "places")
        #expect(
            words(machine.disconnected(1, unreachable)) == [
                "1: interrupted unreachable", "2: interrupted unreachable",
            ]
        )
        // It is said once, however often it is tried.
        #expect(words(machine.disconnected(1, unreachable)) == [])
        #expect(words(machine.connected(1)) == asked("people") + asked("places", from: 9))
        for id in 1...7 { #expect(words(machine.isReady(id)) == []) }
        #expect(words(machine.isReady(8)) == ["confirm 1", "1: reset, live"])
    }

    @Test mutating func whoComesWhileThereIsNoConnectionIsToldSo() {
        _ = machine.open("people")
        _ = machine.disconnected(1, unreachable)
        #expect(words(machine.begin(2, table: "people", query: everything)) == [])
        #expect(words(machine.disconnected(1, unreachable)) == ["2: interrupted unreachable"])
        _ = machine.connected(1)
        for id in 1...7 { _ = machine.isReady(id) }
        #expect(words(machine.isReady(8)) == ["confirm 1", "1: reset, live", "2: live"])
    }

    @Test mutating func eventsOfAnEarlierSessionDoNothing() {
        _ = machine.open("people")
        _ = machine.end(1)
        _ = machine.lingered(2)
        _ = machine.begin(2, table: "people", query: everything)
        #expect(words(machine.connected(1)) == [])
        #expect(words(machine.isReady(9)) == [])
        #expect(words(machine.disconnected(1, unreachable)) == [])
        #expect(words(machine.ended(1, unreachable)) == [])
        #expect(words(machine.connected(2)) == asked("people", session: 2, from: 9))
    }

    @Test mutating func anAnswerThatDoesNotComeDropsTheConnection() {
        _ = machine.begin(1, table: "people", query: everything)
        _ = machine.connected(1)
        for id in 1...7 { _ = machine.isReady(id) }
        #expect(words(machine.overdue(1)) == ["1: interrupted timed out", "reconnect 1"])
        #expect(words(machine.disconnected(1, nil)) == [])
        #expect(words(machine.connected(1)).last == "deadline 2")
    }

    @Test mutating func aLaterQuestionHasItsOwnTime() {
        _ = machine.open("people")
        _ = machine.begin(2, table: "places", query: everything)
        #expect(words(machine.overdue(1)) == ["deadline 2"])
        for id in 9...16 { _ = machine.isReady(id) }
        #expect(words(machine.overdue(2)) == [])
    }

    @Test mutating func aTableThatIsRefusedEndsItsFeeds() {
        _ = machine.open("people", "places")
        _ = machine.begin(3, table: "people", query: everything)
        let actions = words(machine.received(1, .refused(id: "c-4", .problem(1009)), at: .zero))
        #expect(
            actions.prefix(4) == [
                "1: interrupted not found", "finish 1", "3: interrupted not found", "finish 3",
            ]
        )
        #expect(actions.dropFirst(4) == (1...8).map { "say 1 SUB_OFF c-\($0)" }[...])
        #expect(machine.hears(.created, #"{"objectId":"a"}"#) == [])
    }

    @Test mutating func aServerThatIsBusyIsAskedAgainOverAnotherConnection() {
        _ = machine.open("people")
        let actions = words(machine.received(1, .refused(id: "c-4", .problem(503)), at: .zero))
        #expect(actions == ["1: interrupted unavailable", "reconnect 1"])
    }

    @Test mutating func aTokenThatHasEndedIsReplacedOnce() {
        _ = machine.begin(1, table: "people", query: everything)
        _ = machine.connected(1)
        let refused = { [problem = BackendlessProblem.problem(3064)] (id: Int) in
            BackendlessMessage.refused(id: "c-\(id)", problem)
        }
        #expect(
            words(machine.received(1, refused(1), at: .zero)) == ["1: interrupted unauthorized", "renew 1"]
        )
        for id in 2...6 { #expect(words(machine.received(1, refused(id), at: .zero)) == []) }
        #expect(words(machine.hasToken("t2")) == ["say 1 MET_REQ c-9 t2"])
        #expect(words(machine.renewed(1, nil)) == asked("people"))
        // That was said before the server had seen the new one.
        for id in 7...8 { #expect(words(machine.received(1, refused(id), at: .zero)) == []) }
        for id in 1...7 { _ = machine.isReady(id) }
        #expect(words(machine.isReady(8)) == ["confirm 1", "1: live"])
        // One that ends at once is no reason to ask for tokens without end.
        #expect(
            words(machine.received(1, refused(3), at: .seconds(5))) == [
                "1: interrupted unauthorized", "reconnect 1",
            ]
        )
    }

    @Test mutating func aTokenThatCannotBeHadEndsTheFeeds() {
        _ = machine.begin(1, table: "people", query: everything)
        _ = machine.connected(1)
        _ = machine.received(1, .refused(id: "c-1", BackendlessProblem.problem(3064)), at: .zero)
        let error = RemoteDataError(.unauthorized, "wrong password")
        #expect(words(machine.renewed(1, error)).prefix(2) == ["1: interrupted unauthorized", "finish 1"])
    }

    @Test mutating func aTokenThatCannotBeHadNowIsAskedForLater() {
        _ = machine.begin(1, table: "people", query: everything)
        _ = machine.connected(1)
        _ = machine.received(1, .refused(id: "c-1", BackendlessProblem.problem(3064)), at: .zero)
        #expect(words(machine.renewed(1, unreachable)) == ["reconnect 1"])
    }

    @Test mutating func aGuestIsRefused() {
        machine = BackendlessSubscriptions(clientID: "c", .byBytes, hasAccount: false)
        _ = machine.begin(1, table: "people", query: everything)
        _ = machine.connected(1)
        let actions = words(
            machine.received(1, .refused(id: "c-1", BackendlessProblem.problem(3064)), at: .zero)
        )
        #expect(actions.prefix(2) == ["1: interrupted unauthorized", "finish 1"])
    }

    @Test mutating func aTokenThatTheSocketDoesNotTakeDropsIt() {
        _ = machine.open("people")
        #expect(words(machine.received(1, .called(id: "c-9", nil), at: .zero)) == [])
        #expect(
            words(machine.received(1, .called(id: "c-9", BackendlessProblem.problem(3064)), at: .zero)) == [
                "1: interrupted unauthorized", "reconnect 1",
            ]
        )
    }

    @Test mutating func aSessionThatIsRefusedForGoodEndsAllFeeds() {
        _ = machine.open("people", "places")
        let error = RemoteDataError(.unauthorized, "no such key")
        #expect(
            words(machine.ended(1, error)) == [
                "1: interrupted unauthorized", "finish 1", "2: interrupted unauthorized", "finish 2",
            ]
        )
        #expect(words(machine.begin(3, table: "people", query: everything)) == ["open 2"])
    }

    @Test mutating func messagesThatCannotBeReadLeaveAGap() {
        _ = machine.open("people", "places")
        #expect(words(machine.received(1, .unreadable, at: .zero)) == ["1: reset, live", "2: reset, live"])
        #expect(machine.hears(.created, "{}") == ["1: reset, live"])
        #expect(machine.hears(.deleted, #"{"id":"a"}"#) == ["1: reset, live"])
        #expect(machine.hears(.bulkCreated, #"{"ids":[]}"#) == ["1: reset, live"])
        #expect(machine.hears(.bulkCreated, "[1.5]") == ["1: reset, live"])
        #expect(machine.hears(.bulkDeleted, "7") == ["1: reset, live"])
        #expect(words(machine.received(1, .told(id: "other", data: "{}".utf8Slice), at: .zero)) == [])
    }
}

extension String {
    fileprivate var utf8Slice: ArraySlice<UInt8> { Array(utf8)[...] }
}
