import RemoteData
import RemoteDataSQLite
import RemoteDataTesting
import Testing

/// Labels and what they hold; many of these are what users of earlier local datastores reported.
struct PinTests {
    struct Note: Codable, Identifiable, Sendable, Equatable {
        var id: String?
        var text: String
    }

    private func store(_ relations: [Relation] = []) async throws -> LocalStore {
        try await LocalStore(path: ":memory:", relations: relations)
    }

    private func ids(_ store: LocalStore, _ table: String, _ label: String? = nil) async throws -> [String] {
        let table = try label.map { try store.table(table, label: $0) } ?? store.table(table)
        return try await table.page(PageRequest(Query(), limit: 1_000)).rows.map { "\($0.id)" }
    }

    // MARK: Labels

    @Test func whatIsPinnedIsHereUntilItIsUnpinned() async throws {
        let store = try await store()
        try await store.pin(Note(id: "a", text: "x"), in: "notes")
        #expect(try await ids(store, "notes") == ["a"])
        #expect(try await ids(store, "notes", LocalStore.defaultLabel) == ["a"])
        #expect(try await store.labels() == [LocalStore.defaultLabel])
        try await store.unpin(Note(id: "a", text: "x"), in: "notes")
        #expect(try await ids(store, "notes").isEmpty)
        #expect(try await store.labels().isEmpty)
        #expect(try await store.tableNames() == ["notes"])
    }

    @Test func aRowStaysAsLongAsAnyLabelHoldsIt() async throws {
        let store = try await store()
        let note = Note(id: "a", text: "x")
        try await store.pin(note, in: "notes", label: "one")
        try await store.pin(note, in: "notes", label: "two")
        #expect(try await store.labels(of: "a", in: "notes") == ["one", "two"])
        try await store.unpin(note, in: "notes", label: "one")
        #expect(try await ids(store, "notes") == ["a"])
        #expect(try await ids(store, "notes", "one").isEmpty)
        #expect(try await ids(store, "notes", "two") == ["a"])
        try await store.unpinAll(label: "two")
        #expect(try await ids(store, "notes").isEmpty)
    }

    @Test func toPinAgainAddsNothing() async throws {
        let store = try await store()
        try await store.pinAll([Note(id: "a", text: "x"), Note(id: "b", text: "y")], in: "notes")
        try await store.pinAll([Note(id: "b", text: "y"), Note(id: "c", text: "z")], in: "notes")
        #expect(try await ids(store, "notes", LocalStore.defaultLabel) == ["a", "b", "c"])
        try await store.unpin(Note(id: "b", text: ""), in: "notes")
        #expect(try await ids(store, "notes", LocalStore.defaultLabel) == ["a", "c"])
    }

    @Test func toPinOrUnpinNothingOrTheUnknownSucceeds() async throws {
        let store = try await store()
        try await store.pinAll([Note](), in: "notes")
        try await store.unpinAll([Note](), in: "notes")
        try await store.unpin(Note(id: "a", text: ""), in: "notes", label: "nobody")
        try await store.unpinAll(label: "nobody")
        try await store.unpinAll()
        try await store.unpinAllDefault()
        #expect(try await store.tableNames().isEmpty)
    }

    @Test func unpinAllLetsGoOfEveryLabelAndUnpinAllDefaultOfOne() async throws {
        let store = try await store()
        try await store.pin(Note(id: "a", text: ""), in: "notes")
        try await store.pin(Note(id: "b", text: ""), in: "notes", label: "other")
        try await store.unpinAllDefault()
        #expect(try await ids(store, "notes") == ["b"])
        try await store.pin(Note(id: "a", text: ""), in: "notes")
        try await store.unpinAll()
        #expect(try await ids(store, "notes").isEmpty)
        #expect(try await store.labels().isEmpty)
    }

    @Test func anElementWithoutAnIDCannotBePinned() async throws {
        let store = try await store()
        let error = await failure { () async throws(RemoteDataError) in
            try await store.pin(Note(id: nil, text: ""), in: "notes")
        }
        #expect(error?.code == .invalidRow)
    }

    @Test func manyPinTheSameRowsAtOnce() async throws {
        let store = try await store()
        let notes = (0..<20).map { Note(id: "n\($0)", text: "") }
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    do {
                        if number % 4 == 3 {
                            try await store.unpinAll(notes, in: "notes", label: "l\(number)")
                        }
                        try await store.pinAll(notes, in: "notes", label: "l\(number % 8)")
                    } catch { Issue.record(error) }
                }
            }
        }
        #expect(try await store.labels().count == 8)
        for label in try await store.labels() { #expect(try await ids(store, "notes", label).count == 20) }
    }

    // MARK: Rows

    @Test func aRowThatWasWrittenHereStaysWhenItIsUnpinned() async throws {
        let store = try await store()
        _ = try await store.table("notes").commit(.create([draft(#"{"objectId":"a","text":"mine"}"#)]))
        try await store.pinAll([RowID("a")], in: "notes")
        try await store.unpinAll()
        #expect(try await ids(store, "notes") == ["a"])
    }

    @Test func aPinKeepsTheNewerVersionThatIsHere() async throws {
        let store = try await store()
        let table = try store.table("notes")
        _ = try await table.commit(.create([draft(#"{"objectId":"a","text":"newer","n":1}"#)]))
        try await store.pin(Note(id: "a", text: "older"), in: "notes")
        #expect(try await table.row("a")?["text"] == "newer")
        #expect(try await table.row("a")?["n"] == 1)
    }

    @Test func whatOnlyPinsBroughtIsReplacedByWhatIsPinnedNext() async throws {
        let store = try await store()
        try await store.pin(Note(id: "a", text: "one"), in: "notes")
        try await store.pin(Note(id: "a", text: "two"), in: "notes", label: "other")
        #expect(try await store.table("notes").row("a")?["text"] == "two")
    }

    @Test func aPinnedRowFollowsWhatIsWritten() async throws {
        let store = try await store()
        try await store.pin(Note(id: "a", text: "one"), in: "notes", label: "l")
        let patch = Array(#"{"text":"two"}"#.utf8)[...]
        _ = try await store.table("notes").commit(.update("a", patch: patch))
        #expect(try await store.table("notes", label: "l").row("a")?["text"] == "two")
    }

    @Test func aRowThatIsDeletedIsGoneEverywhere() async throws {
        let store = try await store()
        let table = try store.table("notes")
        for label in ["l", "m"] { try await store.pin(Note(id: "a", text: ""), in: "notes", label: label) }
        try await store.pinAll([Note(id: "b", text: "x"), Note(id: "c", text: "y")], in: "notes")
        _ = try await table.commit(.delete("a"))
        #expect(try await store.labels(of: "a", in: "notes").isEmpty)
        _ = try await table.commit(.deleteAll(try Where.parse("text = 'x'")))
        #expect(try await store.labels() == [LocalStore.defaultLabel])
        #expect(try await ids(store, "notes", LocalStore.defaultLabel) == ["c"])
        _ = try await table.commit(.create([draft(#"{"objectId":"a"}"#)]))
        #expect(try await store.labels(of: "a", in: "notes").isEmpty)
    }

    @Test func aRowThatIsNotHereIsHeldWhenItComes() async throws {
        let store = try await store()
        try await store.pinAll([RowID("a")], in: "notes", label: "l")
        #expect(try await ids(store, "notes", "l").isEmpty)
        #expect(try await store.labels(of: "a", in: "notes") == ["l"])
        _ = try await store.table("notes").commit(.create([draft(#"{"objectId":"a"}"#)]))
        #expect(try await ids(store, "notes", "l") == ["a"])
    }

    // MARK: What a label holds, as a table

    @Test func whatALabelHoldsTellsWhatComesAndGoes() async throws {
        let store = try await store()
        let held = try store.table("notes", label: "l")
        let feed = try await held.subscribe(to: Query(), since: nil)
        _ = try await store.table("notes").commit(.create([draft(#"{"objectId":"a","text":"x"}"#)]))
        try await store.pinAll([RowID("a")], in: "notes", label: "l")
        _ = try await store.table("notes").commit(.update("a", patch: Array(#"{"text":"y"}"#.utf8)[...]))
        try await store.unpinAll([RowID("a")], in: "notes", label: "l")
        try await store.pin(Note(id: "b", text: ""), in: "notes", label: "l")
        _ = try await store.table("notes").commit(.delete("b"))
        var told: [String] = []
        while told.count < 5 {
            for case .change(let change) in await feed.nextBatch() {
                told.append("\(change.kind) \(change.id.map { "\($0)" } ?? "-")\(change.left ? " left" : "")")
            }
        }
        #expect(told == ["created a", "updated a", "deleted a left", "created b", "deleted b"])
    }

    @Test func aCollectionOverALabelFollowsIt() async throws {
        let store = try await store()
        let held = try store.table("notes", label: "l")
        try await store.pinAll((0..<5).map { Note(id: "n\($0)", text: "t\($0)") }, in: "notes", label: "l")
        let notes = try await RemoteDataCollection<Note>(table: held, sort: "text desc")
        #expect(try await notes.rows.map(\.text).collected() == ["t4", "t3", "t2", "t1", "t0"])
        var changes = notes.changes.makeAsyncIterator()
        try await store.pin(Note(id: "n9", text: "t3b"), in: "notes", label: "l")
        while notes.count < 6 { _ = await changes.next() }
        #expect(notes.loadedRow(at: 1)?.text == "t3b")
        let added = try await notes.add(Note(id: nil, text: "new"))
        #expect(try await store.labels(of: RowID.text(added?.id ?? ""), in: "notes") == ["l"])
        #expect(try await notes.rows.map(\.text).collected() == ["t4", "t3b", "t3", "t2", "t1", "t0", "new"])
        _ = try await notes.remove(Note(id: "n2", text: ""))
        #expect(try await store.table("notes").row("n2") == nil)
        _ = try await notes.removeAll(where: "text < 't3'")
        #expect(try await notes.rows.map(\.text).collected() == ["t4", "t3b", "t3"])
    }
}

extension AsyncSequence {
    /// Everything there is, in order.
    func collected() async throws -> [Element] {
        var all: [Element] = []
        for try await element in self { all.append(element) }
        return all
    }
}
