import RemoteData
import Testing

@testable import live_table

@Suite(.timeLimit(.minutes(1)))
struct BrowseStateTests {
    private let now = ContinuousClock.now

    private func state(_ count: Int, rows: Int = 10) -> BrowseState {
        BrowseState(size: TerminalSize(columns: 80, rows: rows + 3), count: count)
    }

    /// The rows 0, 10, 20 … and a way to change them.
    private func numbers(_ count: Int) async throws -> RemoteDataCollection<LiveRow> {
        let table = MemoryTable("numbers")
        let drafts = try (0..<count).map {
            try Draft(Array(#"{"objectId":\#($0 * 10)}"#.utf8)[...], idColumn: "objectId")
        }
        _ = try await table.commit(.create(drafts))
        let rows = try await RemoteDataCollection<LiveRow>(table: table)
        try await rows.populate()
        return rows
    }

    /// The state after a change, with what was on the screen before it noted.
    private func apply(
        _ write: (RemoteDataCollection<LiveRow>) async throws -> Void,
        to state: inout BrowseState,
        of rows: RemoteDataCollection<LiveRow>
    ) async throws {
        for case .row(let position) in state.lines { state.drawn[position] = rows.loadedRow(at: position) }
        let changes = rows.changes
        try await write(rows)
        for await change in changes where change.type != .dataLoaded {
            state.apply(change, at: now)
            break
        }
        state.setCount(rows.count)
    }

    @Test func theCursorStaysInsideAndTheViewFollows() {
        var state = state(100)
        state.handle(.up, columnCount: 3)
        #expect(state.cursor == 0)
        for _ in 0..<15 { state.handle(.down, columnCount: 3) }
        #expect((state.top, state.cursor) == (6, 15))
        state.handle(.end, columnCount: 3)
        #expect((state.top, state.cursor) == (90, 99))
        state.handle(.pageDown, columnCount: 3)
        #expect((state.top, state.cursor) == (90, 99))
        state.handle(.pageUp, columnCount: 3)
        #expect((state.top, state.cursor) == (80, 89))
        state.handle(.home, columnCount: 3)
        #expect((state.top, state.cursor) == (0, 0))
    }

    @Test func columnsScrollWithinTheirNumber() {
        var state = state(1)
        for _ in 0..<5 { state.handle(.right, columnCount: 3) }
        #expect(state.firstColumn == 2)
        for _ in 0..<5 { state.handle(.left, columnCount: 3) }
        #expect(state.firstColumn == 0)
    }

    @Test(arguments: [0, 1, 5]) func fewRowsLeaveLinesEmpty(count: Int) {
        #expect(state(count).lines.count == count)
    }

    @Test func aSmallTerminalStillShowsARow() {
        var state = state(100, rows: -2)
        state.handle(.end, columnCount: 1)
        #expect(state.lines.count == 1)
        #expect(state.top == 99)
    }

    @Test func rowsThatComeAboveLeaveTheViewWhereItIs() async throws {
        let rows = try await numbers(50)
        var state = state(50)
        for _ in 0..<20 { state.handle(.down, columnCount: 1) }
        let (top, cursor) = (state.top, state.cursor)
        try await apply({ try await $0.add(LiveRow(id: 5)) }, to: &state, of: rows)
        #expect((state.top, state.cursor) == (top + 1, cursor + 1))
        try await apply({ try await $0.remove(LiveRow(id: 5)) }, to: &state, of: rows)
        #expect((state.top, state.cursor) == (top, cursor))
    }

    @Test func newRowsShowUpAtTheStart() async throws {
        let rows = try await numbers(50)
        var state = state(50)
        try await apply({ try await $0.add(LiveRow(id: -1)) }, to: &state, of: rows)
        #expect((state.top, state.cursor) == (0, 0))
        #expect(state.marks.look(of: -1, at: now) == Marks.Look(kind: .created, isFading: false))
    }

    @Test func marksFadeAndVanish() async throws {
        let rows = try await numbers(5)
        var state = state(5)
        try await apply({ try await $0.add(LiveRow(id: 5)) }, to: &state, of: rows)
        #expect(state.marks.look(of: 5, at: now + Marks.bright)?.isFading == true)
        state.marks.expire(at: now + Marks.lifetime)
        #expect(state.marks.isEmpty)
    }

    @Test func aRemovedRowIsShownForAMoment() async throws {
        let rows = try await numbers(5)
        var state = state(5)
        try await apply({ try await $0.remove(LiveRow(id: 20)) }, to: &state, of: rows)
        #expect(state.lines.count == 5)
        guard case .ghost(let ghost) = state.lines[2] else {
            Issue.record("line 2 is no ghost")
            return
        }
        #expect(ghost.row.id == 20)
        state.marks.expire(at: now + Marks.lifetime)
        #expect(state.lines.count == 4)
    }

    @Test func allRowsOfABulkRemovalAreShownForAMoment() async throws {
        let rows = try await numbers(5)
        var state = state(5)
        try await apply({ try await $0.removeAll(where: "objectId >= 30") }, to: &state, of: rows)
        #expect(state.count == 3)
        #expect(state.marks.ghosts.map(\.row.id) == [30, 40])
        #expect(state.lines.count == 5)
    }
}
