import RemoteData
import Testing

@testable import RemoteDataBackends

struct PocketBaseSubscriptionsTests {
    private var machine = PocketBaseSubscriptions()
    private let everything = Query()

    private func row(_ id: String, _ number: Int = 0) -> Row {
        Row(id: .text(id), json: Array(#"{"id":"\#(id)","n":\#(number)}"#.utf8)[...])
    }

    /// Opens the first stream and has the server take its post.
    private mutating func open(_ tables: String...) -> [String] {
        var said: [String] = []
        for (number, table) in tables.enumerated() {
            said += words(machine.begin(number + 1, table: table, query: everything))
        }
        said += words(machine.opened(1))
        said += words(machine.connected(1, "c1"))
        return said + words(machine.posted(.init(stream: 1, client: "c1", tables: Set(tables)), nil))
    }

    private func words(_ actions: [PocketBaseSubscriptions.Action]) -> [String] { said(actions) }

    @Test mutating func aSubscriberIsLiveWhenTheServerTakesThePost() {
        #expect(
            open("people") == ["open 1", "deadline 1", "post 1 c1 people", "confirm 1", "aging 1", "1: live"]
        )
    }

    @Test mutating func aSecondTableIsPostedWithTheFirstAndASecondSubscriberAsksNothing() {
        _ = open("people")
        #expect(words(machine.begin(2, table: "people", query: everything)) == ["2: live"])
        #expect(words(machine.begin(3, table: "pets", query: everything)) == ["post 1 c1 people,pets"])
        // Another has to wait for the answer: posts may overtake each other.
        #expect(words(machine.begin(4, table: "cars", query: everything)) == [])
        let both = PocketBaseSubscriptions.Post(stream: 1, client: "c1", tables: ["people", "pets"])
        #expect(words(machine.posted(both, nil)) == ["3: live", "post 1 c1 cars,people,pets"])
        #expect(words(machine.end(1)) == [])
        #expect(words(machine.end(2)) == [])
        let all = PocketBaseSubscriptions.Post(stream: 1, client: "c1", tables: ["cars", "people", "pets"])
        #expect(words(machine.posted(all, nil)) == ["4: live", "post 1 c1 cars,pets"])
    }

    @Test mutating func theLastSubscriberClosesTheStream() {
        _ = open("people")
        #expect(words(machine.end(1)) == ["close 1"])
        #expect(words(machine.end(1)) == [])
        #expect(words(machine.begin(2, table: "people", query: everything)) == ["open 2"])
        #expect(words(machine.connected(1, "old")) == [])
    }

    @Test mutating func afterADisconnectEverythingMayHaveBeenMissed() {
        _ = open("people")
        let error = RemoteDataError(.unreachable, "gone")
        #expect(words(machine.disconnected(1, error)) == ["1: interrupted unreachable"])
        #expect(words(machine.disconnected(1, error)) == [])
        #expect(words(machine.changed(1, "people", .created, row("a"), at: .zero)) == [])
        #expect(words(machine.connected(1, "c2")) == ["post 1 c2 people"])
        let old = PocketBaseSubscriptions.Post(stream: 1, client: "c1", tables: ["people"])
        #expect(words(machine.posted(old, nil)) == [])
        let new = PocketBaseSubscriptions.Post(stream: 1, client: "c2", tables: ["people"])
        #expect(words(machine.posted(new, nil)) == ["confirm 1", "aging 1", "1: reset, live"])
    }

    @Test mutating func aStreamThatAgesIsReplacedWithoutAGap() {
        _ = open("people")
        #expect(words(machine.aged(1)) == ["open 2"])
        #expect(words(machine.aged(1)) == [])
        #expect(words(machine.connected(2, "c2")) == ["post 2 c2 people"])
        #expect(words(machine.changed(1, "people", .created, row("a"), at: .zero)) == ["1: created a"])
        #expect(words(machine.changed(2, "people", .created, row("a"), at: .zero)) == [])
        let post = PocketBaseSubscriptions.Post(stream: 2, client: "c2", tables: ["people"])
        #expect(words(machine.posted(post, nil)) == ["confirm 2", "close 1", "aging 2"])
        #expect(words(machine.changed(1, "people", .created, row("b"), at: .zero)) == [])
        #expect(words(machine.changed(2, "people", .created, row("b"), at: .zero)) == ["1: created b"])
        #expect(words(machine.ended(1, nil)) == [])
    }

    @Test mutating func whatDiesBeforeItsSuccessorIsReadyLeavesAGap() {
        _ = open("people")
        _ = machine.aged(1)
        let error = RemoteDataError(.unreachable, "gone")
        #expect(words(machine.disconnected(1, error)) == ["1: interrupted unreachable", "close 2"])
        #expect(words(machine.connected(2, "c2")) == [])
        #expect(words(machine.connected(1, "c3")) == ["post 1 c3 people"])
    }

    @Test(arguments: [RemoteDataError.Code.notFound, .unreachable, .timedOut])
    mutating func aPostThatIsNotTakenOrLostStartsOver(code: RemoteDataError.Code) {
        _ = machine.begin(1, table: "people", query: everything)
        _ = machine.connected(1, "c1")
        let post = PocketBaseSubscriptions.Post(stream: 1, client: "c1", tables: ["people"])
        let error = RemoteDataError(code, "no such client")
        #expect(words(machine.posted(post, error)) == ["1: interrupted \(code)", "reconnect 1"])
    }

    @Test("A post refused for its credentials starts over less often")
    mutating func refusedCredentialsAreNoted() {
        _ = machine.begin(1, table: "people", query: everything)
        _ = machine.connected(1, "c1")
        let post = PocketBaseSubscriptions.Post(stream: 1, client: "c1", tables: ["people"])
        let error = RemoteDataError(.unauthorized, "no such account")
        #expect(
            words(machine.posted(post, error)) == ["1: interrupted unauthorized", "reconnect 1 refused"]
        )
    }

    @Test mutating func whatTheServerRefusesEnds() {
        _ = machine.begin(1, table: "people", query: everything)
        _ = machine.connected(1, "c1")
        let post = PocketBaseSubscriptions.Post(stream: 1, client: "c1", tables: ["people"])
        let error = RemoteDataError(.invalidRequest, "too many")
        #expect(words(machine.posted(post, error)) == ["1: interrupted invalid request", "finish 1"])
    }

    @Test mutating func aServerThatTellsNoIDIsAskedAgain() {
        _ = machine.begin(1, table: "people", query: everything)
        #expect(words(machine.silent(1)) == ["reconnect 1"])
        _ = machine.connected(1, "c1")
        #expect(words(machine.silent(1)) == [])
    }

    @Test mutating func aStreamThatIsRefusedForGoodEndsAllFeeds() {
        _ = open("people")
        let error = RemoteDataError(.notFound, "no such page")
        #expect(words(machine.ended(1, error)) == ["1: interrupted not found", "finish 1"])
    }

    @Test mutating func aClauseIsEvaluatedHere() {
        let large = Query(.comparison(.column("n"), .greater, .literal(5)))
        _ = open("people")
        _ = machine.begin(2, table: "people", query: large)
        func change(_ kind: ChangeKind, _ id: String, _ number: Int) -> [String] {
            words(machine.changed(1, "people", kind, row(id, number), at: .zero))
        }
        #expect(change(.created, "a", 1) == ["1: created a"])
        #expect(change(.created, "b", 9) == ["1: created b", "2: created b"])
        #expect(change(.updated, "c", 9) == ["1: updated c", "2: updated c"])
        #expect(change(.updated, "d", 1) == ["1: updated d", "2: deleted d left"])
        #expect(change(.deleted, "e", 9) == ["1: deleted e", "2: deleted e"])
        #expect(change(.deleted, "f", 1) == ["1: deleted f"])
    }

    @Test mutating func changesOfARowThatMayHaveOvertakenEachOtherAreRead() {
        _ = open("people")
        #expect(words(machine.changed(1, "people", .updated, row("a"), at: .zero)) == ["1: updated a"])
        #expect(words(machine.changed(1, "people", .deleted, row("a"), at: .seconds(1))) == ["read people a"])
        #expect(words(machine.changed(1, "people", .updated, row("a"), at: .seconds(2))) == [])
        // It has changed since, and is read again.
        #expect(words(machine.read("people", .success([row("a")]))) == ["1: updated a", "read people a"])
        #expect(words(machine.read("people", .success([]))) == ["1: deleted a"])
        #expect(words(machine.changed(1, "people", .created, row("a"), at: .seconds(3))) == ["read people a"])
        #expect(words(machine.read("people", .success([row("a")]))) == ["1: updated a"])
    }

    @Test mutating func rowsThatCannotBeReadLeaveAGap() {
        _ = open("people")
        _ = machine.changed(1, "people", .updated, row("a"), at: .zero)
        _ = machine.changed(1, "people", .updated, row("a"), at: .zero)
        let error = RemoteDataError(.unavailable, "later")
        #expect(words(machine.read("people", .failure(error))) == ["1: reset, live"])
    }
}
