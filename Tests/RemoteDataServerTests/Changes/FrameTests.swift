import RemoteData
import Testing

@testable import RemoteDataServer

struct FrameTests {
    private func parse(_ text: String) throws(ClientFrame.Problem) -> ClientFrame {
        try ClientFrame(Array(text.utf8)[...])
    }

    @Test func aSubscriptionIsRead() throws {
        let text =
            #"{"type":"subscribe","id":"s1","table":"people","where":"age > 20","sortBy":"name desc","since":17}"#
        guard case .subscribe(let request) = try parse(text) else {
            Issue.record("no subscription")
            return
        }
        #expect(request.id == "s1")
        #expect(request.table == "people")
        #expect(request.query == Query(try Where("age > 20"), sort: try SortTerm.parse("name desc")))
        #expect(request.since == Revision(17))
    }

    @Test("The epoch of a revision goes with it")
    func theEpochGoesWithTheRevision() throws {
        let text = #"{"type":"subscribe","id":"s","table":"t","since":17,"epoch":"0a1b2c3d"}"#
        guard case .subscribe(let request) = try parse(text) else {
            Issue.record("no subscription")
            return
        }
        #expect(request.since == Revision(17, epoch: testEpoch))
        let frame = ServerFrame.subscribed(id: "s", revision: request.since)
        #expect(self.text(frame) == #"{"type":"subscribed","id":"s","revision":17,"epoch":"0a1b2c3d"}"#)
        let change = Change(revision: request.since?.next, kind: .deleted, id: 1)
        #expect(
            self.text(.change(change, id: "s", after: request.since))
                == #"{"type":"change","id":"s","revision":18,"after":17,"kind":"deleted","objectId":1}"#
        )
    }

    @Test func aSubscriptionNeedsOnlyItsTable() throws {
        let text = #"{"id":"s","table":"t","type":"subscribe","where":null,"sortBy":"","since":null}"#
        guard case .subscribe(let request) = try parse(text) else {
            Issue.record("no subscription")
            return
        }
        #expect(request.query == Query())
        #expect(request.since == nil)
        #expect(try parse(#"{"type":"unsubscribe","id":"s"}"#) == .unsubscribe(id: "s"))
    }

    @Test(arguments: [
        "", "null", "[]", "{", "\u{0}", "{}", #"{"type":"subscribe","table":"t"}"#,
        #"{"id":1,"type":"subscribe","table":"t"}"#,
        #"{"id":"","type":"unsubscribe"}"#, "<html>", #"{"id":"s","id":"t","type":"unsubscribe"}"#,
        #"{"id":"s","type":"subscribe","table":"t","where":"a = 1","where":"a = 2"}"#,
    ])
    func whatHasNoIDIsAnsweredWithoutOne(text: String) {
        let problem = #expect(throws: ClientFrame.Problem.self) { try parse(text) }
        #expect(problem?.id == nil)
        #expect(problem?.code == 1000)
    }

    @Test(arguments: [
        (#"{"id":"s"}"#, 1000), (#"{"id":"s","type":"other"}"#, 1000),
        (#"{"id":"s","type":"subscribe"}"#, 1000),
        (#"{"id":"s","type":"subscribe","table":1}"#, 1000),
        (#"{"id":"s","type":"subscribe","table":""}"#, 1000),
        (#"{"id":"s","type":"subscribe","table":"t","wher":"a"}"#, 1000),
        (#"{"id":"s","type":"unsubscribe","table":"t"}"#, 1000),
        (#"{"id":"s","type":"subscribe","table":"t","since":-1}"#, 1000),
        (#"{"id":"s","type":"subscribe","table":"t","since":"1"}"#, 1000),
        (#"{"id":"s","type":"subscribe","table":"t","since":1,"epoch":7}"#, 1000),
        (#"{"id":"s","type":"subscribe","table":"t","since":1,"epoch":"0a1b2c3"}"#, 1000),
        (#"{"id":"s","type":"subscribe","table":"t","where":"a ="}"#, 1017),
        (#"{"id":"s","type":"subscribe","table":"t","sortBy":"a b"}"#, 1017),
    ])
    func aBadSubscriptionIsAnsweredWithItsID(text: String, code: Int) {
        let problem = #expect(throws: ClientFrame.Problem.self) { try parse(text) }
        #expect(problem?.id == "s")
        #expect(problem?.code == code)
    }

    private func text(_ frame: ServerFrame) -> String { String(decoding: frame.json, as: UTF8.self) }

    @Test func framesArePrintedAsTheProtocolSays() throws {
        let row = Row(id: 1, revision: Revision(18), json: Array(#"{"objectId":1}"#.utf8)[...])
        let key = Key(values: [.text("a"), .null], id: 1)
        let revision = Revision(18)
        #expect(
            text(.subscribed(id: "s", revision: revision)) == #"{"type":"subscribed","id":"s","revision":18}"#
        )
        #expect(
            text(.progress(id: "\"", revision: revision)) == #"{"type":"progress","id":"\"","revision":18}"#
        )
        #expect(
            text(.progress(id: "s", revision: revision, after: Revision(17)))
                == #"{"type":"progress","id":"s","revision":18,"after":17}"#
        )
        #expect(
            text(
                .change(Change(revision: revision, kind: .created, row: row), id: "s", after: Revision(17))
            )
                == #"{"type":"change","id":"s","revision":18,"after":17,"kind":"created","row":{"objectId":1}}"#
        )
        #expect(text(.reset(id: "s")) == #"{"type":"reset","id":"s"}"#)
        #expect(text(.unsubscribed(id: "s")) == #"{"type":"unsubscribed","id":"s"}"#)
        #expect(
            text(.change(Change(revision: revision, kind: .created, row: row), id: "s"))
                == #"{"type":"change","id":"s","revision":18,"kind":"created","row":{"objectId":1}}"#
        )
        #expect(
            text(.change(Change(revision: revision, kind: .updated, row: row, formerID: "x"), id: "s"))
                == #"{"type":"change","id":"s","revision":18,"kind":"updated","row":{"objectId":1},"formerId":"x"}"#
        )
        #expect(
            text(.change(Change(revision: revision, kind: .updated, row: row, previousKey: key), id: "s"))
                == #"{"type":"change","id":"s","revision":18,"kind":"updated","row":{"objectId":1},"previousKey":["a",null,1]}"#
        )
        #expect(
            text(
                .change(
                    Change(revision: revision, kind: .deleted, id: 1, left: true, previousKey: key),
                    id: "s"
                )
            )
                == #"{"type":"change","id":"s","revision":18,"kind":"deleted","objectId":1,"previousKey":["a",null,1],"left":true}"#
        )
        let predicate = try Where("a > 'x\"'")
        #expect(
            text(
                .change(
                    Change(revision: revision, kind: .bulkDeleted, predicate: predicate, count: 3),
                    id: nil
                )
            )
                == #"{"type":"change","revision":18,"kind":"bulkDeleted","where":"a > 'x\"'","count":3}"#
        )
        #expect(
            text(.error(ClientFrame.Problem(code: 1017, message: "m", position: 4)))
                == #"{"type":"error","code":1017,"message":"m","position":4}"#
        )
    }
}
