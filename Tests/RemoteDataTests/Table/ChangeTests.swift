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
