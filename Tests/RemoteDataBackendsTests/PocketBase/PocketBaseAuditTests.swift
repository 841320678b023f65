import RemoteData
import Testing

@testable import RemoteDataBackends

/// Looks at a table, which find what changes leave out.
@Suite struct PocketBaseAuditTests {
    private var machine = PocketBaseSubscriptions(isAuditing: true)

    private func row(_ id: String) -> Row {
        Row(id: .text(id), json: Array(#"{"id":"\#(id)","n":1}"#.utf8)[...])
    }

    private func answer(_ ids: String..., missing: [ColumnPath: RemoteDataError] = [:])
        -> Result<PocketBaseSubscriptions.LookAnswer, RemoteDataError>
    {
        let sample = ids.map { (id: RowID.text($0), version: Int64(0)) }
        return .success(
            .init(rows: RowAudit.Look(count: ids.count, sample: sample, isWhole: true), missing: missing)
        )
    }

    /// Follows a table of two rows that was looked at once, with the times of the next look.
    private mutating func open(_ query: Query = Query()) {
        _ = machine.begin(1, table: "people", query: query)
        _ = machine.connected(1, "c1")
        _ = machine.posted(.init(stream: 1, client: "c1", tables: ["people"]), nil)
        _ = machine.looked("people", 1, answer("a", "b"))
        _ = machine.settled("people", 1)
    }

    @Test("A subscriber is live once its table has been looked at, which is repeated after a time")
    mutating func aTableIsLookedAt() {
        _ = machine.begin(1, table: "people", query: Query())
        _ = machine.connected(1, "c1")
        let post = PocketBaseSubscriptions.Post(stream: 1, client: "c1", tables: ["people"])
        #expect(said(machine.posted(post, nil)) == ["confirm 1", "aging 1", "look 1 people"])
        #expect(said(machine.looked("people", 1, answer("a", "b"))) == ["1: live", "settle people 1"])
        #expect(said(machine.begin(2, table: "people", query: Query())) == ["2: live"])
        #expect(said(machine.settled("people", 1)) == ["rest people 1"])
        #expect(said(machine.dueToLook("people", 1)) == ["look 2 people"])
        #expect(said(machine.dueToLook("people", 1)) == [])
        #expect(said(machine.looked("people", 1, answer())) == [])
        #expect(said(machine.end(1)) == [])
        #expect(said(machine.end(2)) == ["stop people", "close 1"])
        #expect(said(machine.looked("people", 2, answer())) == [])
    }

    @Test("A row that is withdrawn without a change is found by a second look")
    mutating func aWithdrawnRowIsFound() {
        open()
        _ = machine.dueToLook("people", 1)
        _ = machine.looked("people", 2, answer("a"))
        #expect(said(machine.settled("people", 2)) == ["look 3 people as itself"])
        _ = machine.looked("people", 3, answer("a"))
        #expect(said(machine.settled("people", 3)) == ["1: reset, live", "rest people 3"])
        _ = machine.dueToLook("people", 3)
        _ = machine.looked("people", 4, answer("a"))
        #expect(said(machine.settled("people", 4)) == ["rest people 4"])
    }

    @Test("A change that arrives after the look explains it") mutating func aLateChangeExplainsIt() {
        open()
        _ = machine.dueToLook("people", 1)
        _ = machine.looked("people", 2, answer("a"))
        #expect(said(machine.changed(1, "people", .deleted, row("b"), at: .zero)) == ["1: deleted b"])
        #expect(said(machine.settled("people", 2)) == ["rest people 2"])
    }

    @Test("A row that is given in place of a withdrawn one is found") mutating func aSwapIsFound() {
        open()
        _ = machine.changed(1, "people", .updated, row("c"), at: .zero)
        _ = machine.dueToLook("people", 1)
        _ = machine.looked("people", 2, answer("a", "c"))
        #expect(said(machine.settled("people", 2)) == ["look 3 people as itself"])
    }

    @Test("An update of an unknown row hides no row that is revealed", arguments: [1_000, 1_001])
    mutating func anUpdateHidesNoRow(count: Int) {
        func firstRows(of count: Int) -> Result<PocketBaseSubscriptions.LookAnswer, RemoteDataError> {
            .success(.init(rows: RowAudit.Look(count: count, sample: [("a", 0), ("b", 0)], isFirst: true)))
        }
        _ = machine.begin(1, table: "people", query: Query())
        _ = machine.connected(1, "c1")
        _ = machine.posted(.init(stream: 1, client: "c1", tables: ["people"]), nil)
        _ = machine.looked("people", 1, firstRows(of: 1_000))
        _ = machine.settled("people", 1)
        #expect(said(machine.changed(1, "people", .updated, row("x"), at: .zero)) == ["1: updated x"])
        _ = machine.dueToLook("people", 1)
        _ = machine.looked("people", 2, firstRows(of: count))
        let isFound = count > 1_000
        #expect(
            said(machine.settled("people", 2)) == [isFound ? "look 3 people as itself" : "rest people 2"]
        )
    }

    @Test("Where all rows are known, an update reveals an unknown one")
    mutating func anUpdateRevealsARow() {
        open()
        _ = machine.changed(1, "people", .updated, row("c"), at: .zero)
        _ = machine.dueToLook("people", 1)
        _ = machine.looked("people", 2, answer("a", "b", "c"))
        #expect(said(machine.settled("people", 2)) == ["rest people 2"])
    }

    @Test("A missing table interrupts subscribers until it is back")
    mutating func aMissingTableInterrupts() {
        open()
        let error = RemoteDataError(.notFound, "Missing collection context.")
        _ = machine.dueToLook("people", 1)
        #expect(
            said(machine.looked("people", 2, .failure(error))) == [
                "1: interrupted not found", "rest people 2",
            ]
        )
        #expect(said(machine.changed(1, "people", .created, row("x"), at: .zero)) == [])
        _ = machine.dueToLook("people", 2)
        #expect(said(machine.looked("people", 3, .failure(error))) == ["rest people 3"])
        _ = machine.dueToLook("people", 3)
        #expect(said(machine.looked("people", 4, answer("x"))) == ["1: reset, live", "settle people 4"])
    }

    @Test("A look that fails for a while changes nothing") mutating func aFailedLookChangesNothing() {
        open()
        _ = machine.dueToLook("people", 1)
        let error = RemoteDataError(.unreachable, "")
        #expect(said(machine.looked("people", 2, .failure(error))) == ["rest people 2"])
    }

    @Test("A removed column interrupts the subscribers that name it") mutating func aColumnThatIsGone() throws
    {
        open(Query(try Where("n > 0")))
        _ = machine.begin(2, table: "people", query: Query())
        let error = RemoteDataError(.unknownColumn, "n")
        #expect(said(machine.dueToLook("people", 1)) == ["look 2 people n"])
        let missing = answer("a", "b", missing: ["n": error])
        #expect(
            said(machine.looked("people", 2, missing)) == [
                "1: interrupted unknown column", "settle people 2",
            ]
        )
        _ = machine.settled("people", 2)
        _ = machine.dueToLook("people", 2)
        #expect(said(machine.looked("people", 3, answer("a", "b"))) == ["1: reset, live", "settle people 3"])
    }

    @Test("After a disconnect the table is looked at anew") mutating func afterADisconnectItIsLookedAtAnew() {
        open()
        let error = RemoteDataError(.unreachable, "gone")
        #expect(said(machine.disconnected(1, error)) == ["1: interrupted unreachable", "stop people"])
        #expect(said(machine.dueToLook("people", 1)) == [])
        _ = machine.connected(1, "c2")
        let post = PocketBaseSubscriptions.Post(stream: 1, client: "c2", tables: ["people"])
        #expect(said(machine.posted(post, nil)) == ["confirm 1", "aging 1", "look 2 people"])
        #expect(said(machine.looked("people", 2, answer("a"))) == ["1: reset, live", "settle people 2"])
    }

    @Test("Where the first look fails, a subscriber is live and is reset by the next")
    mutating func whereTheFirstLookFails() {
        _ = machine.begin(1, table: "people", query: Query())
        _ = machine.connected(1, "c1")
        _ = machine.posted(.init(stream: 1, client: "c1", tables: ["people"]), nil)
        let error = RemoteDataError(.unreachable, "")
        #expect(said(machine.looked("people", 1, .failure(error))) == ["1: live", "rest people 1"])
        _ = machine.dueToLook("people", 1)
        #expect(said(machine.looked("people", 2, answer("a"))) == ["1: reset, live", "settle people 2"])
        #expect(said(machine.settled("people", 2)) == ["rest people 2"])
    }

    @Test("A table that is missing from the start is never live") mutating func aTableThatIsMissing() {
        _ = machine.begin(1, table: "people", query: Query())
        _ = machine.connected(1, "c1")
        _ = machine.posted(.init(stream: 1, client: "c1", tables: ["people"]), nil)
        let error = RemoteDataError(.notFound, "")
        let actions = machine.looked("people", 1, .failure(error))
        #expect(said(actions) == ["1: interrupted not found", "rest people 1"])
        _ = machine.dueToLook("people", 1)
        #expect(said(machine.looked("people", 2, answer("a"))) == ["1: live", "settle people 2"])
    }

    @Test("An account that was signed in anew begins another stream") mutating func anAccountSignedInAnew() {
        #expect(said(machine.signedIn()) == [])
        open()
        #expect(said(machine.signedIn()) == ["reconnect 1"])
    }
}

/// Actions in words.
func said(_ actions: [PocketBaseSubscriptions.Action]) -> [String] {
    actions.map { action in
        switch action {
        case .open(let number): "open \(number)"
        case .close(let number): "close \(number)"
        case .reconnect(let number, let isRefused): "reconnect \(number)\(isRefused ? " refused" : "")"
        case .confirm(let number): "confirm \(number)"
        case .startDeadline(let number): "deadline \(number)"
        case .startAging(let number): "aging \(number)"
        case .post(let post):
            "post \(post.stream) \(post.client) \(post.tables.sorted().joined(separator: ","))"
        case .read(let table, let ids): "read \(table) \(ids.map(\.description).joined(separator: ","))"
        case .look(let look):
            (["look \(look.number) \(look.table)"] + look.columns.map(\.description).sorted()
                + (look.confirmsAccount ? ["as itself"] : [])).joined(separator: " ")
        case .waitToSettle(let table, let number): "settle \(table) \(number)"
        case .waitToLook(let table, let number): "rest \(table) \(number)"
        case .stopLooking(let table): "stop \(table)"
        case .finish(let id): "finish \(id)"
        case .deliver(let id, let events): "\(id): " + events.map(said).joined(separator: ", ")
        }
    }
}

private func said(_ event: ChangeEvent) -> String {
    switch event {
    case .live: "live"
    case .reset: "reset"
    case .interrupted(let error): "interrupted \(error.code)"
    case .change(let change):
        "\(change.kind) \(change.id?.description ?? "")\(change.left ? " left" : "")"
    case .progress: "progress"
    }
}
