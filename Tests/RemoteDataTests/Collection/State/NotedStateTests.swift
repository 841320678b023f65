import RemoteDataTesting
import Testing

@testable import RemoteData

/// What a collection has its cache know: what is here, in the order in which it came here.
@Suite struct NotedStateTests {
    private func state(
        _ count: Int,
        at revision: Int64 = 10,
        keeping: CollectionState.Keeping = .stretches,
        pageSize: Int = 10
    ) -> CollectionState {
        let count = Count(count, revision: Revision(revision))
        var state = CollectionState(query: Query(), pageSize: pageSize, count: count, follows: true)
        state.keeping = keeping
        state.shown = KeyIntervals()
        state.pending = [.live(count.revision)]
        _ = state.applyPending()
        return state
    }

    private func row(_ id: String) -> Row {
        Row(id: .text(id), json: Array(#"{"objectId":"\#(id)"}"#.utf8)[...])
    }

    private func page(_ ids: [String], _ revision: Int64) -> Page {
        Page(rows: ids.map(row), revision: Revision(revision))
    }

    private func fetch(_ state: inout CollectionState) throws -> Fetch {
        let fetch = if case .fetch(let fetch) = state.need(base: 0) { fetch } else { Fetch?.none }
        return try #require(fetch)
    }

    private struct Missing: Error {}

    private func deletion(_ id: String, _ revision: Int64) -> Change {
        Change(revision: Revision(revision), kind: .deleted, id: .text(id))
    }

    private func words(_ state: CollectionState) -> [String] {
        func ids(_ rows: [Row]) -> String { rows.map { "\($0.id)" }.joined() }
        return state.notes.map { note in
            switch note {
            case .stretch(_, let rows, _): "stretch " + ids(rows)
            case .staleStretch(_, let rows, _): "stale stretch " + ids(rows)
            case .rows(let rows, _): "rows " + ids(rows)
            case .change(let change): "\(change.kind) \(change.row?.id ?? change.id ?? "")"
            case .ownChange(let change): "own \(change.kind) \(change.row?.id ?? change.id ?? "")"
            case .lateChange(let change): "late \(change.kind) \(change.row?.id ?? change.id ?? "")"
            case .reached(let revision): "reached \(revision)"
            case .lost: "lost"
            case .forgotten: "forgotten"
            case .placed(let stretches): "placed \(stretches.count)"
            case .verified(let stretches, _): "verified \(stretches.count)"
            }
        }
    }

    // MARK: Changes

    @Test func whatIsHeardIsNotedWhenItIsApplied() throws {
        var state = state(2)
        state.merge(page(["a", "b"], 10), try fetch(&state))
        state.pending = [.progress(Revision(11)), .change(deletion("a", 12)), .change(deletion("a", 12))]
        #expect(words(state) == ["stretch ab"])
        _ = state.applyPending()
        #expect(words(state) == ["stretch ab", "reached 11", "deleted a", "late deleted a"])
    }

    // MARK: Places

    /// Rows of a cache, which has some of them, come in the middle of that.
    @Test func whatIsReadBeforePlacesAreForgottenIsReadAgain() throws {
        var state = state(2)
        let fetch = try fetch(&state)
        let kept = Fetch(fetch, keptFor: fetch.request, asOf: state.number())
        state.notePlaced()
        #expect(words(state) == ["placed 0"])
        let page = page(["a", "b"], 10)
        #expect(throws: RemoteDataError.self) {
            _ = try state.receive(Answer(page, to: kept.request), for: kept)
        }
        #expect(state.loadedCount == 0)
        let again = Fetch(fetch, keptFor: fetch.request, asOf: state.number())
        _ = try state.receive(Answer(page, to: again.request), for: again)
        #expect(state.loadedCount == 2)
    }

    @Test func whatWaitsWhilePlacesAreForgottenIsKeptAnew() throws {
        var state = state(2)
        let fetch = try fetch(&state)
        let kept = Fetch(fetch, keptFor: fetch.request, asOf: state.number())
        _ = try state.receive(Answer(page(["a", "b"], 12), to: kept.request), for: kept)
        #expect(state.waiting.count == 1)
        state.notePlaced()
        _ = state.mergeWaiting(force: true)
        #expect(words(state) == ["placed 0", "stretch ab"])
    }

    @Test func whatIsInPlaceStaysKept() throws {
        var state = state(2)
        state.merge(page(["a", "b"], 10), try fetch(&state))
        state.notePlaced()
        #expect(words(state) == ["stretch ab", "placed 1"])
        #expect(state.shown?.all == [KeyInterval()])
        state.noteForgotten()
        #expect(words(state) == ["stretch ab", "placed 1", "forgotten"])
        #expect(state.shown?.all == [])
    }

    @Test func withoutACacheNothingIsNoted() throws {
        var state = state(2, keeping: .nothing)
        state.merge(page(["a", "b"], 10), try fetch(&state))
        state.pending = [.change(deletion("a", 12)), .reset]
        _ = state.applyPending()
        #expect(state.notes.isEmpty)
    }

    @Test func whereStretchesCannotBeKeptRowsAre() throws {
        var state = state(2, keeping: .rows)
        state.merge(page(["a", "b"], 10), try fetch(&state))
        #expect(words(state) == ["rows ab"])
    }

    /// A row that somebody has removed since would come back.
    @Test func theAnswerToAnOwnWriteThatHasComeIsNotNoted() throws {
        var state = state(1)
        state.merge(page(["a"], 10), try fetch(&state))
        let watch = state.beginWatch()
        let own = Change(revision: Revision(11), kind: .updated, row: row("a"))
        state.pending = [.change(own), .change(deletion("a", 12))]
        _ = state.applyPending()
        _ = state.wrote([own], since: watch, now: true)
        #expect(words(state) == ["stretch a", "updated a", "deleted a"])
    }

    @Test func theAnswerToAnOwnWriteIsNotedWhenItIsTaken() throws {
        let count = Count(1, revision: Revision(10))
        var state = CollectionState(query: Query(), pageSize: 10, count: count, follows: false)
        state.keeping = .stretches
        state.merge(page(["a"], 10), try fetch(&state))
        let watch = state.beginWatch()
        _ = state.wrote([deletion("a", 11)], since: watch, now: true)
        #expect(words(state) == ["stretch a", "own deleted a"])
    }

    // MARK: Pages

    /// It comes back as it was before, and nothing would take it away again.
    @Test func aRowThatIsGoneSinceAPageWasReadIsNotNotedWithIt() throws {
        var state = state(2)
        let fetch = try fetch(&state)
        state.pending = [.change(deletion("a", 12))]
        _ = state.applyPending()
        state.merge(page(["a", "b"], 11), fetch)
        #expect(words(state) == ["deleted a", "stretch b"])
    }

    /// Nobody knows what became of its rows since.
    @Test(arguments: [ChangeEvent.reset, .live(Revision(40))])
    func aPageFromBeforeAGapIsKnownToBeStale(gap: ChangeEvent) throws {
        var state = state(2)
        let fetch = try fetch(&state)
        state.pending = [gap]
        _ = state.applyPending()
        state.merge(page(["a", "b"], 15), fetch)
        #expect(words(state).filter { $0 != "reached 40" } == ["lost", "stale stretch ab"])
    }

    @Test func aPageFromBeforeEverythingIsReadAnewIsNotNoted() throws {
        var state = state(2)
        let fetch = try fetch(&state)
        let watch = state.beginWatch()
        let isReset = state.reset(to: Count(1, revision: Revision(40)), since: watch)
        #expect(isReset)
        state.merge(page(["a", "b"], 15), fetch)
        #expect(words(state) == ["lost", "reached 40"])
        // Opened at that very revision: nothing was missed, and pages since are whole.
        let next = try self.fetch(&state)
        state.pending = [.live(Revision(40))]
        _ = state.applyPending()
        state.merge(page(["b"], 40), next)
        #expect(words(state) == ["lost", "reached 40", "stretch b"])
    }

    // MARK: Between pages

    /// Rows that are gone may be kept behind it, which nothing else takes away.
    @Test func whatLiesBehindTheLastPageIsNotedOnce() throws {
        var state = state(2, pageSize: 2)
        state.merge(page(["a", "b"], 10), try fetch(&state))
        #expect(words(state) == ["stretch ab"])
        state.pending = [.change(Change(revision: Revision(11), kind: .created, row: row("c")))]
        _ = state.applyPending()
        state.noteSeams()
        state.noteSeams()
        #expect(words(state) == ["stretch ab", "created c", "stretch c"])
        guard case .stretch(let seam, _, let revision) = state.notes.last else {
            Issue.record("no stretch")
            return
        }
        #expect(seam.lower?.key.id == "b" && seam.lower?.isIncluded == false && seam.upper == nil)
        #expect(revision == Revision(11))
    }

    @Test func whatIsNotHereIsNoSeam() throws {
        var state = state(3, pageSize: 2)
        state.merge(page(["a", "b"], 10), try fetch(&state))
        state.noteSeams()
        #expect(words(state) == ["stretch ab"])
    }

    @Test func whatNobodyKnowsToBeRightIsNoSeam() throws {
        var state = state(2, pageSize: 2)
        state.merge(page(["a", "b"], 10), try fetch(&state))
        state.pending = [.reset]
        _ = state.applyPending()
        state.noteSeams()
        #expect(words(state) == ["stretch ab", "lost"])
    }

    // MARK: Repairs

    /// In between rows may be kept that are gone, and that nobody has compared.
    @Test func onlyWhatWasComparedIsRightAgain() throws {
        var state = state(3, pageSize: 1)
        state.merge(page(["a"], 10), try fetch(&state))
        guard case .fetch(let last) = state.need(base: 2) else { throw Missing() }
        state.merge(page(["c"], 10), last)
        state.shown = KeyIntervals()
        state.shown?.insert(KeyInterval(), sort: [])
        state.notes = []
        let watch = state.beginWatch()
        let isBegun = state.beginRepair(at: Count(2, revision: Revision(11)), since: watch)
        #expect(isBegun)
        // The row between is gone.
        state.index.resizeGap(at: 1, by: -1)
        state.repair?.isSure = true
        _ = state.endRepair(idColumn: "objectId")
        state.noteSeams()
        #expect(words(state) == ["lost", "reached 11", "verified 2", "stretch "])
    }

    /// It may only have left the query, and labels or other queries may hold it.
    @Test(arguments: ["", "age > 20"]) func whatIsNoLongerFoundHasLeft(clause: String) throws {
        let filter = try Where.parse(clause)
        let count = Count(1, revision: Revision(10))
        var state = CollectionState(query: Query(filter), pageSize: 10, count: count, follows: true)
        state.keeping = .stretches
        state.pending = [.live(Revision(10))]
        _ = state.applyPending()
        state.merge(page(["a"], 10), try fetch(&state))
        let watch = state.beginWatch()
        let isBegun = state.beginRepair(at: Count(0, revision: Revision(11)), since: watch)
        #expect(isBegun)
        state.notes = []
        var steps = 0
        while state.repair != nil, steps < 20 {
            steps += 1
            switch state.nextRepair(limit: 10, idColumn: "objectId") {
            case .read(let read) where read.isCount:
                _ = state.take(Count(0, revision: Revision(11)), for: read)
            case .read(let read): _ = try state.take(page([], 11), for: read)
            case .drain: _ = state.applyFound()
            case .done, .impossible: _ = state.endRepair(idColumn: "objectId")
            }
        }
        let found = state.notes.compactMap { note in
            if case .ownChange(let change) = note { change } else { nil }
        }
        #expect(found.map(\.left) == [!clause.isEmpty])
    }

    /// The other way round, a row that was found and has gone since would stay.
    @Test func whatIsFoundIsNotedInItsTurn() throws {
        var state = state(1)
        state.merge(page(["b"], 10), try fetch(&state))
        state.notes = []
        let watch = state.beginWatch()
        let isBegun = state.beginRepair(at: Count(2, revision: Revision(11)), since: watch)
        #expect(isBegun)
        state.repair?.note(Change(revision: Revision(11), kind: .created, row: row("a")))
        state.pending = [.change(deletion("a", 12))]
        _ = state.applyPending()
        _ = state.endRepair(idColumn: "objectId")
        #expect(words(state) == ["lost", "reached 11", "own created a", "deleted a", "verified 1"])
    }

    @Test(
        arguments: [
            ([ChangeEvent.reset], true), ([.live(Revision(40))], true),
            ([.progress(Revision(20)), .live(Revision(20))], false),
            ([.progress(Revision(20)), .live(Revision(21))], true), ([.live(Revision(10))], false),
            ([], false),
        ] as [([ChangeEvent], Bool)]
    )
    func nothingIsRightAgainWhereAnotherGapWaits(events: [ChangeEvent], isGap: Bool) throws {
        var state = state(1)
        state.merge(page(["a"], 10), try fetch(&state))
        let watch = state.beginWatch()
        let isBegun = state.beginRepair(at: Count(1, revision: Revision(10)), since: watch)
        #expect(isBegun)
        state.notes = []
        state.pending = events
        let isOver = state.endRepair(idColumn: "objectId").isOver
        #expect(isOver == !isGap)
        #expect((words(state).last == "verified 1") == !isGap)
        #expect(state.isRepairing == false && state.needsResync == isGap)
    }
}
