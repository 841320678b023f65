import Testing

@testable import RemoteData

/// What answers have shown before its events.
@Suite struct AnsweredChangesTests {
    private let id = RowID.text("a")

    private func update(at revision: Int64, epoch: UInt32 = 1) -> Change {
        let row = Row(id: id, json: Array(#"{"objectId":"a"}"#.utf8)[...])
        return Change(revision: Revision(revision, epoch: Epoch(rawValue: epoch)), kind: .updated, row: row)
    }

    private func revision(_ number: Int64, epoch: UInt32 = 1) -> Revision {
        Revision(number, epoch: Epoch(rawValue: epoch))
    }

    @Test func aRowIsKnownUpToItsLatestAnswer() {
        var answered = AnsweredChanges()
        let wasRoom = [7, 5].map { answered.note(update(at: $0)) }
        #expect(wasRoom == [true, true])
        #expect(answered.has(id, at: revision(6)))
        #expect(answered.has(id, at: revision(7)))
        #expect(!answered.has(id, at: revision(8)))
        #expect(!answered.has(.text("b"), at: revision(6)))
    }

    @Test func nothingIsKeptOnceEveryEventHasCome() {
        var answered = AnsweredChanges()
        _ = answered.note(update(at: 7))
        answered.reach(revision(6))
        #expect(answered.has(id, at: revision(7)))
        answered.reach(revision(7))
        #expect(answered.isEmpty)
        #expect(!answered.has(id, at: revision(7)))
    }

    @Test func anAnswerOfANewHistoryIsTheLater() {
        var answered = AnsweredChanges()
        _ = answered.note(update(at: 7))
        _ = answered.note(update(at: 2, epoch: 2))
        #expect(answered.has(id, at: revision(9)))
        answered.enter(historyOf: revision(1, epoch: 2))
        #expect(answered.has(id, at: revision(2, epoch: 2)))
        #expect(!answered.has(id, at: revision(3, epoch: 2)))
        answered.enter(historyOf: revision(1, epoch: 3))
        #expect(answered.isEmpty)
    }

    @Test func aRemovalOfManyIsKnownByItsRevision() {
        var answered = AnsweredChanges()
        _ = answered.note(Change(revision: revision(4), kind: .bulkDeleted))
        #expect(answered.hasRemoval(at: revision(4)))
        #expect(!answered.hasRemoval(at: revision(3)))
    }

    @Test func thereIsRoomForTenThousandRows() {
        var answered = AnsweredChanges()
        let wasRoom = (0..<10_000).map { number in
            answered.note(Change(revision: revision(1), kind: .deleted, id: .integer(number)))
        }
        #expect(wasRoom.allSatisfy { $0 })
        let isRoom = answered.note(update(at: 2))
        #expect(!isRoom)
        #expect(!answered.has(id, at: revision(1)))
    }
}
