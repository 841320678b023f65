import RemoteData
import Testing

struct ChangeTests {
    private let row = Row(id: "a", json: Array(#"{"id":"a","n":1}"#.utf8)[...])

    @Test func theIDIsThatOfTheRowUnlessItIsAnother() {
        let change = Change(revision: Revision(1), kind: .updated, row: row)
        #expect(change.id == "a")
        #expect(Change(revision: Revision(1), kind: .updated, id: "a", row: row) == change)
        #expect(
            Change(revision: Revision(1), kind: .updated, id: "a", row: row).hashValue == change.hashValue
        )
        let other = Change(revision: Revision(1), kind: .updated, id: "b", row: row)
        #expect(other.id == "b")
        #expect(other != change)
        #expect(Change(revision: Revision(1), kind: .deleted, id: "a").id == "a")
        #expect(Change(revision: Revision(1), kind: .bulkDeleted).id == nil)
    }

    @Test func whatOnlySomeChangesTellIsPartOfThem() throws {
        let predicate = try Where("age = 1")
        let plain = Change(revision: Revision(1), kind: .updated, row: row)
        let others = [
            Change(revision: Revision(1), kind: .updated, row: row, left: true),
            Change(revision: Revision(1), kind: .updated, row: row, predicate: predicate),
            Change(revision: Revision(1), kind: .updated, row: row, count: 3),
            Change(revision: Revision(1), kind: .updated, row: row, idempotencyKey: "k"),
            Change(revision: Revision(1), kind: .updated, row: row, formerID: "b"),
        ]
        #expect(Set(others + [plain]).count == 6)
        #expect(others.map(\.left) == [true, false, false, false, false])
        #expect(others.map(\.predicate) == [nil, predicate, nil, nil, nil])
        #expect(others.map(\.count) == [nil, nil, 3, nil, nil])
        #expect(others.map(\.idempotencyKey) == [nil, nil, nil, "k", nil])
        #expect(others.map(\.formerID) == [nil, nil, nil, nil, "b"])
        #expect(others.allSatisfy { $0.id == "a" && $0.row == row && $0.revision == Revision(1) })
    }

    @Test func aKeyThatIsNotReadIsAsGoodAsOneThatIs() throws {
        let key = Key(values: [.integer(1)], id: "a")
        let unread = try #require(UnreadKey(json: key.json[...]))
        #expect(unread == UnreadKey(key))
        #expect(unread.hashValue == UnreadKey(key).hashValue)
        #expect(unread.key == key)
        #expect(unread != UnreadKey(Key(values: [.integer(2)], id: "a")))
        #expect(UnreadKey(json: Array("[1,".utf8)[...]) == nil)
        #expect(UnreadKey(json: Array("[1,null]".utf8)[...]) == nil)
    }
}
