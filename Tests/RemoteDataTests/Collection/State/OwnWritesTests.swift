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

    @Test("What an update wrote is noted once, also where no answer came")
    func writtenOnce() {
        var own = OwnWrites()
        own.begin("mine", writing: WrittenValues.Update([:], changed: [["a"]], of: 7))
        own.end("mine")
        #expect(own.takeUpdate(nil) == nil && own.takeUpdate("theirs") == nil)
        #expect(own.takeUpdate("mine") != nil)
        #expect(own.takeUpdate("mine") == nil)
    }

    private func change(_ kind: ChangeKind, _ id: Int64, _ key: String) -> Change {
        Change(revision: nil, kind: kind, id: .integer(id), idempotencyKey: key)
    }

    @Test func withoutRevisionsAnAnswerAndItsEventCountOnce() {
        var own = OwnWrites()
        for key in ["a", "b"] { own.begin(key) }
        let (first, second) = (change(.updated, 1, "a"), change(.updated, 1, "b"))
        #expect([own.wasTold(first, by: "a"), own.wasTold(second, by: "b")] == [false, false])
        own.answer(first, to: "a")
        own.answer(second, to: "b")
        #expect([own.tell(second), own.tell(second), own.tell(first)] == [true, false, true])
        // The event came first.
        let third = change(.updated, 3, "a")
        #expect([own.tell(third)] == [false])
        let answers = [own.wasTold(third, by: "a"), own.wasTold(third, by: "a")]
        #expect(answers == [true, false])
    }

    @Test("Where changes carry no keys, an answer and its event are known by what they do to a row")
    func withoutKeys() throws {
        func change(_ kind: ChangeKind, _ name: String) -> Change {
            let row = Row(id: "a", json: Array("{\"objectId\":\"a\",\"name\":\"\(name)\"}".utf8)[...])
            return Change(revision: nil, kind: kind, id: "a", row: row)
        }
        var own = OwnWrites(tellsKeys: false)
        #expect([own.tell(change(.created, "mine"))] == [false])
        #expect([own.wasTold(change(.created, "mine"), by: "k")] == [false])
        own.begin("k")
        own.answer(change(.created, "mine"), to: "k")
        #expect([own.tell(change(.updated, "theirs")), own.tell(change(.created, "mine"))] == [false, true])
        // The event came first.
        #expect([own.tell(change(.updated, "other"))] == [false])
        #expect([own.wasTold(change(.updated, "mine"), by: "k")] == [false])
        #expect([own.wasTold(change(.updated, "other"), by: "k")] == [true])
        // The answer to the write ends what was received before it.
        #expect([own.tell(change(.updated, "last"))] == [false])
        own.end("k")
        #expect([own.wasTold(change(.updated, "last"), by: "k")] == [false])
    }

    @Test func answersAboutRowsTakenAwayAreForgotten() {
        var own = OwnWrites()
        for key in ["a", "b"] {
            own.begin(key)
            for id in [1, 2] as [Int64] { own.answer(change(.created, id, key), to: key) }
        }
        own.forgetAnswers(about: [.integer(1), .integer(7)])
        #expect([own.tell(change(.created, 1, "a")), own.tell(change(.created, 2, "a"))] == [false, true])
        own.forgetRevisions()
        #expect([own.tell(change(.created, 2, "b"))] == [false])
    }
}
