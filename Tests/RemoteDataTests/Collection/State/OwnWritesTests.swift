import Testing

@testable import RemoteData

@Suite struct OwnWritesTests {
    private func change(_ revision: Int64?, _ key: String?) -> Change {
        Change(revision: revision.map { Revision($0) }, kind: .bulkDeleted, idempotencyKey: key)
    }

    @Test func aKeyTellsWhoseAChangeIs() {
        var own = OwnWrites()
        own.begin("mine")
        #expect(own.made(change(1, "mine")))
        #expect(own.made(change(nil, "mine")))
        #expect(!own.made(change(1, "theirs")))
    }

    @Test func aRevisionTellsOnlyWhereThereIsNoKey() {
        var own = OwnWrites()
        own.expect([Revision(4), Revision(5)])
        #expect(own.made(change(4, nil)))
        #expect(!own.made(change(4, "theirs")))
        #expect(!own.made(change(6, nil)))
        #expect(!own.made(change(nil, nil)))
        own.forget(through: Revision(4))
        #expect(!own.made(change(4, nil)))
        #expect(own.made(change(5, nil)))
    }

    @Test func onlyTheLastKeysAreKept() {
        var own = OwnWrites()
        for number in 0...OwnWrites.capacity { own.begin("\(number)") }
        #expect(!own.made(change(1, "0")))
        #expect(own.made(change(1, "1")))
        #expect(own.made(change(1, "\(OwnWrites.capacity)")))
        own.begin("next")
        #expect(!own.made(change(1, "1")))
        #expect(own.made(change(1, "next")))
    }
}
