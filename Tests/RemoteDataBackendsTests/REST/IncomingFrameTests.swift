import RemoteData
import RemoteDataNetwork
import Testing

@testable import RemoteDataBackends

struct IncomingFrameTests {
    private func frame(_ text: String) -> IncomingFrame {
        var row = LikelyRow(idColumn: "objectId")
        // One that came with others.
        let memory = Array((#"{"type":"reset","id":"s0"}"# + text + "{}").utf8)
        let message = WebSocketMessage(isText: true, memory, 26..<(26 + text.utf8.count))
        return IncomingFrame(message, &row)
    }

    /// What has been read before makes no difference.
    @Test func rowsAreReadWhateverTheOnesBeforeWere() {
        let rows = [
            #"{"objectId":"a","n":1}"#, #"{"objectId":"b","n":2}"#, #"{"n":2,"objectId":"b"}"#, "null", "1",
            #"{"objectId":"a","n":1,"objectId":"b"}"#, #"{"objectId":"a","n":01}"#,
            #"{"objectId":true,"n":1}"#,
            #"{"objectId":"\u0061","n":1}"#, #"{"objectId":7,"n":1}"#, #"{"n":1}"#, #"{"objectId":"a","n":1"#,
            #"{ "objectId" : "a" , "n" : 1 }"#, #"{"objectId":"a","n":1}x"#, #"{"objectId":"a"}"#, "{}",
        ]
        let frames = rows.map {
            #"{"type":"change","id":"s1","revision":2,"after":1,"kind":"updated","row":"# + $0
                + #","previousKey":["a"]}"#
        }
        let alone = frames.map(frame)
        for first in frames.indices {
            var row = LikelyRow(idColumn: "objectId")
            for second in [first] + Array(frames.indices) {
                #expect(IncomingFrame(.text(frames[second]), &row) == alone[second])
                #expect(IncomingFrame(.text(frames[first]), &row) == alone[first])
            }
        }
        let readable = alone.filter { if case .change = $0 { true } else { false } }
        #expect(readable.count == 7)
    }

    @Test("A subscription has its epoch once, and frames that follow are read with it")
    func frameAreReadWithTheEpoch() {
        let epoch = Epoch(rawValue: 0x0A1B_2C3D)
        var reader = FrameReader(idColumn: "objectId")
        let change =
            #"{"type":"change","id":"s1","revision":8,"after":7,"kind":"created","row":{"objectId":"a"}}"#
        func revisions(_ text: String) -> [Revision?] {
            switch reader.read(.text(text)) {
            case .subscribed(_, let revision): [revision]
            case .change(_, let change, let after): [change.revision, change.row?.revision, after]
            case .progress(_, let revision, let after): [revision, after]
            default: []
            }
        }
        #expect(revisions(change) == [Revision(8), Revision(8), Revision(7)])
        let begin = #"{"type":"subscribed","id":"s1","revision":7,"epoch":"0a1b2c3d"}"#
        #expect(revisions(begin) == [Revision(7, epoch: epoch)])
        let (seven, eight) = (Revision(7, epoch: epoch), Revision(8, epoch: epoch))
        #expect(revisions(change) == [eight, eight, seven])
        #expect(revisions(#"{"type":"progress","id":"s1","revision":8,"after":7}"#) == [eight, seven])
        // One of another server begins.
        #expect(revisions(#"{"type":"subscribed","id":"s2","revision":3}"#) == [Revision(3)])
        #expect(revisions(change) == [Revision(8), Revision(8), Revision(7)])
        for epoch in [#""0a1b""#, "7", "{}", #""00000000""#] {
            let text = #"{"type":"subscribed","id":"s1","revision":7,"epoch":"# + epoch + "}"
            guard case .malformed = reader.read(.text(text)) else {
                Issue.record("\(text) is read")
                continue
            }
        }
        #expect(
            frame(#"{"type":"subscribed","id":"s1","revision":7,"epoch":null}"#)
                == .subscribed(id: "s1", Revision(7))
        )
    }

    @Test func theKeyOfAChangeIsCheckedThoughItIsNotRead() {
        func change(_ key: String) -> IncomingFrame {
            frame(
                #"{"type":"change","id":"s1","revision":2,"kind":"updated","row":{"objectId":"a"},"previousKey":"#
                    + key + "}"
            )
        }
        for key in [#"["a"]"#, #"[1,null,"a"]"#, "[7]", #"["\u0061"]"#] {
            guard case .change(_, let change, _) = change(key) else {
                Issue.record("\(key) is not read")
                continue
            }
            #expect(change.previousKey == Key(json: Array(key.utf8)[...]))
            #expect(change.previousKey != nil)
        }
        for key in ["[]", "[null]", "[true]", "[1.5]", #"["a",{}]"#, "{}", #""a""#, "1"] {
            #expect(change(key) == .unreadableChange(id: "s1", Revision(2)), "\(key)")
        }
    }

    @Test func everyFrameOfTheProtocolIsRead() throws {
        #expect(
            frame(#"{"type":"subscribed","id":"s1","revision":17}"#) == .subscribed(id: "s1", Revision(17))
        )
        #expect(frame(#"{"type":"subscribed","id":"s1"}"#) == .subscribed(id: "s1", nil))
        #expect(
            frame(#"{"id":"s1","revision":25,"type":"progress","new":[1]}"#)
                == .progress(id: "s1", Revision(25))
        )
        #expect(
            frame(#"{"type":"progress","id":"s1","revision":25,"after":21}"#)
                == .progress(id: "s1", Revision(25), after: Revision(21))
        )
        #expect(frame(#"{"type":"reset","id":"s1"}"#) == .reset(id: "s1"))
        #expect(frame(#"{"type":"unsubscribed","id":"s1"}"#) == .unsubscribed(id: "s1"))
        #expect(
            frame(#"{"type":"error","id":"s1","code":1017,"message":"no","position":4}"#)
                == .problem(id: "s1", ServerProblem(code: 1017, message: "no", position: 4))
        )
        #expect(
            frame(#"{"type":"error","code":1000,"message":"what"}"#)
                == .problem(id: nil, ServerProblem(code: 1000, message: "what"))
        )
    }

    @Test func aChangesRowIsTheTextAsItCame() throws {
        let row = #"{"objectId" : "a","n":1.50,"t":"\u00e9"}"#
        let text =
            #"{"type":"change","id":"s1","revision":18,"kind":"updated","row":\#(row),"formerId":7,"#
            + #""previousKey":["x","a"]}"#
        guard case .change("s1", let change, nil) = frame(text) else {
            Issue.record("no change")
            return
        }
        #expect(change.row?.text == row)
        #expect(change.row?.revision == Revision(18) && change.revision == Revision(18))
        #expect(change.previousKey == Key(values: ["x"], id: "a"))
        #expect(change.formerID == 7)
    }

    @Test func aDeletionAndABulkDeletionAreRead() throws {
        let deleted =
            #"{"type":"change","id":"s1","revision":20,"kind":"deleted","objectId":7,"previousKey":[7],"left":true}"#
        let change = Change(
            revision: Revision(20),
            kind: .deleted,
            id: 7,
            left: true,
            previousKey: Key(values: [], id: 7)
        )
        #expect(frame(deleted) == .change(id: "s1", change))
        let bulk =
            #"{"type":"change","id":"s1","revision":21,"kind":"bulkDeleted","where":"age > 90","count":3}"#
        let predicate = try Where("age > 90")
        #expect(
            frame(bulk)
                == .change(
                    id: "s1",
                    Change(revision: Revision(21), kind: .bulkDeleted, predicate: predicate, count: 3)
                )
        )
        let all = #"{"type":"change","id":"s1","revision":22,"kind":"bulkDeleted","where":null}"#
        #expect(frame(all) == .change(id: "s1", Change(revision: Revision(22), kind: .bulkDeleted)))
    }

    @Test(arguments: [
        #"{"type":"change","id":"s1","revision":18,"kind":"created","row":{"n":1}}"#,
        #"{"type":"change","id":"s1","revision":18,"kind":"created","row":[]}"#,
        #"{"type":"change","id":"s1","revision":18,"kind":"created"}"#,
        #"{"type":"change","id":"s1","revision":18,"kind":"deleted","objectId":1.5}"#,
        #"{"type":"change","id":"s1","revision":18,"kind":"updated","row":{"objectId":"a"},"previousKey":[]}"#,
        #"{"type":"change","id":"s1","revision":18,"kind":"bulkDeleted","where":"((("}"#,
        #"{"type":"change","id":"s1","revision":18,"kind":5}"#, #"{"type":"change","id":"s1","revision":18}"#,
        #"{"type":"change","id":"s1","revision":18,"kind":"deleted","objectId":"a","left":"yes"}"#,
    ])
    func aChangeThatMakesNoSenseKeepsItsPlace(text: String) {
        #expect(frame(text) == .unreadableChange(id: "s1", Revision(18)))
    }

    @Test(arguments: [
        "", "garbage", "{", "[]", "5", "null", "{}", #"{"type":5}"#, #"{"type":null}"#,
        #"{"type":"subscribed"}"#,
        #"{"type":"subscribed","id":5}"#, #"{"type":"subscribed","id":"s1","revision":"x"}"#,
        #"{"type":"progress","id":"s1"}"#, #"{"type":"progress","id":"s1","revision":-4}"#,
        #"{"type":"change","id":"s1","kind":"created"}"#, #"{"type":"reset"}"#,
        "{\"type\":\"reset\",\"id\":\"\u{1}\"}",
    ])
    func whatIsNoFrameIsMalformed(text: String) {
        guard case .malformed(let what) = frame(text) else {
            Issue.record("read as \(frame(text))")
            return
        }
        #expect(!what.isEmpty)
    }

    @Test func aBinaryMessageIsMalformed() {
        let message = WebSocketMessage.binary(Array(#"{"type":"reset","id":"s1"}"#.utf8))
        var row = LikelyRow(idColumn: "objectId")
        #expect(IncomingFrame(message, &row) == .malformed("a binary message"))
    }

    @Test func aTypeThatIsNotKnownIsPassedOver() {
        #expect(frame(#"{"type":"weather","id":"s1","sun":true}"#) == .unknown)
    }
}
