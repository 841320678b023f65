import Testing

@testable import RemoteData

/// What an iteration remembers of rows that are not in memory.
@Suite struct IterationCursorTests {
    private let sort = [SortTerm(ColumnPath("a"))]

    private func key(_ value: Int64, _ id: Int64) -> Key { Key(values: [.integer(value)], id: .integer(id)) }

    private func row(_ id: Int64) -> Row {
        Row(id: .integer(id), json: Array(#"{"objectId":\#(id)}"#.utf8)[...])
    }

    /// A cursor that has passed the rows 0 up to a number, which are no longer in memory.
    private func cursor(through last: Int64) -> IterationCursor {
        var cursor = IterationCursor()
        for id in 0...last { cursor.forget(.integer(id)) }
        cursor.pass(through: key(last, last))
        return cursor
    }

    @Test("A returned row that moves on is not wanted again")
    func movedOn() {
        var cursor = cursor(through: 9)
        cursor.changedUnloaded(row(3), from: nil, to: key(50, 3), sort: sort, at: nil)
        #expect(!cursor.wants(.integer(3)))
        #expect(cursor.takeMissed().isEmpty)
    }

    @Test("A row that moves to the part passed is returned once")
    func movedBack() {
        var cursor = cursor(through: 9)
        for _ in 0..<2 { cursor.changedUnloaded(row(20), from: nil, to: key(1, 20), sort: sort, at: nil) }
        #expect(cursor.takeMissed().map(\.id) == [.integer(20)])
        cursor.changedUnloaded(row(20), from: nil, to: key(60, 20), sort: sort, at: nil)
        #expect(!cursor.wants(.integer(20)))
    }

    @Test("A row that moves back and on again is returned where it is then")
    func movedBackAndOn() {
        var cursor = cursor(through: 9)
        cursor.changedUnloaded(row(20), from: nil, to: key(1, 20), sort: sort, at: nil)
        cursor.changedUnloaded(row(20), from: nil, to: key(60, 20), sort: sort, at: nil)
        #expect(cursor.takeMissed().isEmpty)
        #expect(cursor.wants(.integer(20)))
    }

    @Test("A returned row that is deleted and created again is not wanted")
    func createdAgain() {
        var cursor = cursor(through: 9)
        cursor.removedUnloaded(.integer(3), at: nil)
        cursor.created(row(3), at: key(50, 3), sort: sort, change: nil)
        #expect(!cursor.wants(.integer(3)))
    }

    @Test("A row that was returned where it was held is not wanted when it changes where rows are passed")
    func heldAndGone() {
        var cursor = cursor(through: 9)
        cursor.take(held: .integer(20))
        cursor.removed(held: .integer(20))
        cursor.changedUnloaded(row(20), from: nil, to: key(1, 20), sort: sort, at: nil)
        #expect(cursor.takeMissed().isEmpty)
    }

    @Test("A row that a page showed where rows are passed is returned once where it is held then")
    func heldAfterAPage() {
        var cursor = cursor(through: 9)
        cursor.appeared(row(20), at: key(1, 20), sort: sort)
        cursor.take(held: .integer(20))
        #expect(cursor.takeMissed().isEmpty)
        #expect(!cursor.wants(.integer(20)))
    }

    @Test("Where more rows are gone than are remembered, only a former key tells")
    func lost() {
        var cursor = cursor(through: 262_144)
        #expect(!cursor.isLost)
        cursor.changedUnloaded(row(-1), from: key(500_000, -1), to: key(1, -1), sort: sort, at: nil)
        #expect(cursor.takeMissed().map(\.id) == [.integer(-1)])
        cursor.changedUnloaded(row(-2), from: nil, to: key(500_000, -2), sort: sort, at: nil)
        #expect(cursor.isLost)
    }

    @Test("A row created before an iteration began is returned wherever it sorts")
    func createdBefore() {
        var cursor = IterationCursor(isInTouch: false)
        cursor.pass(through: key(9, 9))
        cursor.created(row(1), at: key(1, 1), sort: sort, change: Revision(4))
        cursor.noteBegin(notAfter: Revision(5))
        cursor.created(row(2), at: key(2, 2), sort: sort, change: Revision(5))
        cursor.created(row(3), at: key(3, 3), sort: sort, change: Revision(6))
        #expect(cursor.takeMissed().map(\.id) == [.integer(1), .integer(2)])
    }

    @Test("Starting over leaves out what was returned")
    func startOver() {
        var cursor = cursor(through: 9)
        cursor.startOver()
        #expect(cursor.after == nil)
        #expect((0..<12).filter { cursor.wants(.integer($0)) } == [10, 11])
    }

    @Test("A page without a place is passed at once, without what was returned")
    func delivered() {
        var cursor = cursor(through: 9)
        cursor.changedUnloaded(row(3), from: nil, to: key(11, 3), sort: sort, at: nil)
        let rows = [row(10), row(3), row(5), row(12)]
        let old = [nil, nil, key(5, 5), nil]
        cursor.deliver(rows, from: old, but: [], through: key(12, 12), sort: sort)
        #expect(cursor.takeDelivered()?.map(\.id) == [.integer(10), .integer(12)])
        #expect(cursor.takeDelivered() == nil)
        #expect(cursor.after == key(12, 12))
        cursor.deliver([row(12), row(13)], from: [nil, nil], but: [], through: key(13, 13), sort: sort)
        #expect(cursor.takeDelivered()?.map(\.id) == [.integer(13)])
        cursor.deliver([], from: [], but: [], through: nil, sort: sort)
        #expect(cursor.isAtEnd)
    }

    @Test("A page without a place brings no row that was returned and is no longer here")
    func deliveredAgain() {
        var cursor = cursor(through: 9)
        for id in [3, 4] as [Int64] { cursor.forget(.integer(id)) }
        let rows = [row(10), row(3)]
        cursor.deliver(rows, from: [nil, nil], but: [row(4)], through: key(11, 3), sort: sort)
        #expect(cursor.takeDelivered()?.map(\.id) == [.integer(10)])
        #expect(cursor.takeMissed().isEmpty)
    }

    @Test("Where no changes are followed, a row that was returned and forgotten is not returned again")
    func expectPast() {
        var cursor = cursor(through: 9)
        cursor.forget(.integer(3))
        cursor.expectPast()
        #expect(!cursor.wants(.integer(3)))
    }
}
