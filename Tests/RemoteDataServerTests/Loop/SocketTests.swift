import Foundation
import RemoteData
import RemoteDataServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct SocketTests {
    private static func change(_ rest: String, after: Int) -> String {
        #"{"after":\#(after),"id":"s",\#(rest),"type":"change"}"#
    }

    @Test func aSubscriptionSeesRowsComeChangeAndLeave() async throws {
        try await withServer { port in
            let writer = try TestConnection(port: port)
            let listener = try TestConnection(socketAt: port)
            try listener.say(#"{"type":"subscribe","id":"s","table":"t","where":"a > 1","sortBy":"a desc"}"#)
            #expect(try listener.hear() == #"{"epoch":"0a1b2c3d","id":"s","revision":0,"type":"subscribed"}"#)
            _ = try writer.ask("POST", "/api/data/t", #"{"objectId":1,"a":1}"#)
            #expect(try listener.hear() == #"{"after":0,"id":"s","revision":1,"type":"progress"}"#)
            _ = try writer.ask("PUT", "/api/data/t/1", #"{"a":2}"#)
            #expect(
                try listener.hear()
                    == Self.change(#""kind":"created","revision":2,"row":{"a":2,"objectId":1}"#, after: 1)
            )
            _ = try writer.ask("PUT", "/api/data/t/1", #"{"a":3}"#)
            #expect(
                try listener.hear()
                    == Self.change(
                        #""kind":"updated","previousKey":[2,1],"revision":3,"row":{"a":3,"objectId":1}"#,
                        after: 2
                    )
            )
            _ = try writer.ask("PUT", "/api/data/t/1", #"{"a":0}"#)
            #expect(
                try listener.hear()
                    == Self.change(
                        #""kind":"deleted","left":true,"objectId":1,"previousKey":[3,1],"revision":4"#,
                        after: 3
                    )
            )
            _ = try writer.ask("POST", "/api/data/bulk/t", #"[{"objectId":2,"a":5},{"objectId":3,"a":6}]"#)
            #expect(
                try listener.hear()
                    == Self.change(#""kind":"created","revision":5,"row":{"a":5,"objectId":2}"#, after: 4)
            )
            #expect(
                try listener.hear()
                    == Self.change(#""kind":"created","revision":6,"row":{"a":6,"objectId":3}"#, after: 5)
            )
            _ = try writer.ask("DELETE", "/api/data/t/2")
            #expect(
                try listener.hear()
                    == Self.change(
                        #""kind":"deleted","objectId":2,"previousKey":[5,2],"revision":7"#,
                        after: 6
                    )
            )
            _ = try writer.ask("POST", "/api/data/bulk/t/delete", #"{"where":"a >= 0"}"#)
            #expect(
                try listener.hear()
                    == #"{"after":7,"count":1,"id":"s","kind":"bulkDeleted","revision":8,"#
                    + #""type":"change","where":"a >= 0"}"#
            )
            _ = try writer.ask("POST", "/api/data/bulk/other", #"[{"objectId":2},{"objectId":3}]"#)
            _ = try writer.ask("POST", "/api/data/t", #"{"objectId":9,"a":9}"#)
            #expect(try listener.hear().contains("\"revision\":11"))
        }
    }

    @Test func aSubscriptionResumesWhereItLeftOff() async throws {
        let store = MemoryTableStore(logCapacity: 3, epoch: testEpoch)
        try await withServer(store) { port in
            let writer = try TestConnection(port: port)
            for index in 1...4 { _ = try writer.ask("POST", "/api/data/t", #"{"objectId":\#(index)}"#) }
            let listener = try TestConnection(socketAt: port)
            try listener.say(#"{"type":"subscribe","id":"s","table":"t","since":2,"epoch":"0a1b2c3d"}"#)
            #expect(try listener.hear() == #"{"epoch":"0a1b2c3d","id":"s","revision":2,"type":"subscribed"}"#)
            #expect(
                try listener.hear()
                    == Self.change(#""kind":"created","revision":3,"row":{"objectId":3}"#, after: 2)
            )
            #expect(
                try listener.hear()
                    == Self.change(#""kind":"created","revision":4,"row":{"objectId":4}"#, after: 3)
            )
            // The log does not reach back to the beginning.
            try listener.say(#"{"type":"subscribe","id":"old","table":"t","since":0}"#)
            #expect(try listener.hear(type: "reset") == #"{"id":"old","type":"reset"}"#)
            #expect(
                try listener.hear() == #"{"epoch":"0a1b2c3d","id":"old","revision":4,"type":"subscribed"}"#
            )
        }
    }

    @Test func manyHearOfOneWriteOnceEach() async throws {
        try await withServer { port in
            let writer = try TestConnection(port: port)
            let listeners = try (0..<20).map { _ in try TestConnection(socketAt: port) }
            for listener in listeners {
                for id in 0..<5 { try listener.say(#"{"type":"subscribe","id":"\#(id)","table":"t"}"#) }
                for _ in 0..<5 { #expect(try listener.hear().contains("subscribed")) }
            }
            _ = try writer.ask("POST", "/api/data/t", #"{"objectId":1}"#)
            _ = try writer.ask("POST", "/api/data/t", #"{"objectId":2}"#)
            for listener in listeners {
                let heard = try (0..<10).map { _ in try listener.hear() }
                #expect(Set(heard).count == 10)
                #expect(heard.allSatisfy { $0.contains("change") })
            }
        }
    }

    @Test func anEndedSubscriptionHearsNothingMore() async throws {
        try await withServer { port in
            let writer = try TestConnection(port: port)
            let listener = try TestConnection(socketAt: port)
            for id in ["a", "b"] {
                try listener.say(#"{"type":"subscribe","id":"\#(id)","table":"t"}"#)
                #expect(try listener.hear().contains("subscribed"))
            }
            try listener.say(#"{"type":"unsubscribe","id":"a"}"#)
            #expect(try listener.hear() == #"{"id":"a","type":"unsubscribed"}"#)
            try listener.say(#"{"type":"unsubscribe","id":"never"}"#)
            #expect(try listener.hear() == #"{"id":"never","type":"unsubscribed"}"#)
            _ = try writer.ask("POST", "/api/data/t", #"{"objectId":1}"#)
            #expect(try listener.hear().contains("\"id\":\"b\""))
            // The name is free again.
            try listener.say(#"{"type":"subscribe","id":"a","table":"t"}"#)
            #expect(try listener.hear() == #"{"epoch":"0a1b2c3d","id":"a","revision":1,"type":"subscribed"}"#)
        }
    }

    @Test func whatCannotBeSubscribedToIsTold() async throws {
        try await withServer(configure: { $0.limits.subscriptionsPerConnection = 3 }) { port in
            let writer = try TestConnection(port: port)
            _ = try writer.ask("POST", "/api/data/t", #"{"objectId":1,"name":"x"}"#)
            let listener = try TestConnection(socketAt: port)
            let cases = [
                (
                    #"{"type":"subscribe","id":"s","table":"t","where":"nme = 1"}"#, "\"code\":1017",
                    "\"id\":\"s\""
                ),
                (
                    #"{"type":"subscribe","id":"s","table":"t","where":"name ="}"#, "\"code\":1017",
                    "\"position\":6"
                ),
                (#"{"type":"subscribe","id":"s","table":""}"#, "\"code\":1000", "\"id\":\"s\""),
                ("nonsense", "\"code\":1000", "\"type\":\"error\""),
                (#"{"type":"x","id":"s"}"#, "\"code\":1000", "\"id\":\"s\""),
            ]
            for (frame, code, part) in cases {
                try listener.say(frame)
                let heard = try listener.hear()
                #expect(heard.contains(code) && heard.contains(part), "\(heard)")
            }
            for id in 1...3 {
                try listener.say(#"{"type":"subscribe","id":"\#(id)","table":"t"}"#)
                #expect(try listener.hear().contains("subscribed"))
            }
            try listener.say(#"{"type":"subscribe","id":"1","table":"t"}"#)
            #expect(try listener.hear().contains("already"))
            try listener.say(#"{"type":"subscribe","id":"4","table":"t"}"#)
            #expect(try listener.hear().contains("\"code\":1429"))
        }
    }

    @Test func aTableCanBeWaitedForUnlessTablesAreFixed() async throws {
        try await withServer(configure: { $0.fixedTables = true }) { port in
            let listener = try TestConnection(socketAt: port)
            try listener.say(#"{"type":"subscribe","id":"s","table":"t"}"#)
            #expect(try listener.hear().contains("\"code\":1009"))
        }
    }

    @Test func binaryAndGarbageAreAnsweredOrClose() async throws {
        try await withServer { port in
            let listener = try TestConnection(socketAt: port)
            try listener.sendFrame([1, 2, 3], opcode: 2)
            #expect(try listener.hear().contains("not binary"))
            // A message in pieces is one message.
            let text = Array(#"{"type":"unsubscribe","id":"s"}"#.utf8)
            try listener.sendFrame(Array(text[..<10]), isLast: false)
            try listener.sendFrame([], opcode: 9)
            try listener.sendFrame(Array(text[10...]), opcode: 0)
            #expect(try listener.frame().opcode == 10)
            #expect(try listener.hear() == #"{"id":"s","type":"unsubscribed"}"#)
            let rude = try TestConnection(socketAt: port)
            try rude.send([UInt8](repeating: 0xFF, count: 100))
            #expect(try rude.closeCode() == 1002)
            let notText = try TestConnection(socketAt: port)
            try notText.sendFrame([0xFF, 0xFE])
            #expect(try notText.closeCode() == 1007)
            let long = try TestConnection(socketAt: port)
            try long.sendFrame([UInt8](repeating: 0x20, count: 70_000))
            #expect(try long.closeCode() == 1009)
            #expect(try TestConnection(port: port).ask("GET", "/api/info").status == 200)
        }
    }

    @Test func aSocketMayCloseAtAnyPoint() async throws {
        try await withServer { port in
            let handshake = Array(TestConnection.handshake().utf8)
            let frame: [UInt8] = [0x81, 0x80 | 30, 1, 2, 3, 4, 5, 6]
            for count in stride(from: 0, through: handshake.count + frame.count, by: 7) {
                let client = try TestConnection(port: port)
                try client.send(Array((handshake + frame).prefix(count)))
            }
            #expect(try TestConnection(port: port).ask("GET", "/api/info").status == 200)
        }
    }

    @Test func framesSentWithTheHandshakeAreHeard() async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            let payload = Array(#"{"type":"subscribe","id":"s","table":"t"}"#.utf8)
            try client.send(
                Array(TestConnection.handshake().utf8) + [0x81, 0x80 | UInt8(payload.count), 0, 0, 0, 0]
                    + payload
            )
            #expect(try client.take(through: "\r\n\r\n").hasPrefix("HTTP/1.1 101 "))
            #expect(try client.hear() == #"{"epoch":"0a1b2c3d","id":"s","revision":0,"type":"subscribed"}"#)
        }
    }

    @Test func aRowLargerThanAnyPieceComesWhole() async throws {
        try await withServer(configure: { $0.limits.queuedBytes = 1_000 }) { port in
            let listener = try TestConnection(socketAt: port)
            try listener.say(#"{"type":"subscribe","id":"s","table":"t"}"#)
            _ = try listener.hear()
            let row = #"{"objectId":1,"a":""# + String(repeating: "x", count: 1_000_000) + "\"}"
            #expect(try TestConnection(port: port).ask("POST", "/api/data/t", row).status == 200)
            let heard = String(decoding: try listener.message(), as: UTF8.self)
            #expect(
                heard == #"{"type":"change","id":"s","revision":1,"after":0,"kind":"created","row":\#(row)}"#
            )
        }
    }

    @Test func aSlowSubscriberIsResetAndOthersHearEverything() async throws {
        try await withServer(configure: { $0.limits.queuedBytes = 300_000 }) { port in
            let writer = try TestConnection(port: port)
            let slow = try TestConnection(socketAt: port, receiveBuffer: 8_192)
            let quick = try TestConnection(socketAt: port)
            for listener in [slow, quick] {
                try listener.say(#"{"type":"subscribe","id":"s","table":"t"}"#)
                #expect(try listener.hear().contains("subscribed"))
            }
            let filler = String(repeating: "x", count: 100_000)
            let count = 200
            for index in 1...count {
                _ = try writer.ask("POST", "/api/data/t", #"{"objectId":\#(index),"a":"\#(filler)"}"#)
                #expect(try quick.hear().contains("\"objectId\":\(index)}"))
            }
            var (revision, resets) = (0, 0)
            while revision < count {
                let heard = try slow.hear()
                if heard.contains("reset") {
                    resets += 1
                    // It goes on from a revision that is told, and nothing behind that is missing.
                    let begin = try slow.hear(type: "subscribed").split(separator: "\"revision\":")
                    revision = try #require(begin.last.flatMap { Int($0.prefix { $0.isNumber }) })
                } else {
                    revision += 1
                    #expect(heard.contains("\"objectId\":\(revision)}"))
                }
            }
            #expect(resets > 0)
            _ = try writer.ask("POST", "/api/data/t", #"{"objectId":"after"}"#)
            #expect(try slow.hear().contains("after"))
            #expect(try quick.hear().contains("after"))
        }
    }

    @Test func aClientThatNeverReadsItsAnswersIsClosed() async throws {
        let configure: (inout TableServer.Configuration) -> Void = {
            $0.limits.queuedFrames = 1
            $0.limits.queuedBytes = 1
        }
        try await withServer(configure: configure) { port in
            let client = try TestConnection(socketAt: port, receiveBuffer: 8_192)
            let payload = Array(#"{"type":"unsubscribe","id":"\#(String(repeating: "x", count: 190))"}"#.utf8)
            let head: [UInt8] = [
                0x81, 0x80 | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), 0, 0, 0, 0,
            ]
            let frames = [[UInt8]](repeating: head + payload, count: 1_000).flatMap(\.self)
            // Either the sending fails once the server has closed, or the close is read afterwards.
            #expect(throws: TestConnection.Failure.self) {
                for _ in 0..<1_000 { try client.send(frames) }
            }
        }
    }

    @Test func aSilentClientIsPingedAndGivenUp() async throws {
        let configure: (inout TableServer.Configuration) -> Void = {
            $0.deadlines.ping = .seconds(1)
            $0.deadlines.silence = .seconds(2)
        }
        try await withServer(configure: configure) { port in
            let client = try TestConnection(socketAt: port)
            #expect(try client.frame().opcode == 9)
            try client.waitForClose()
        }
    }

    @Test func aCloseIsAnswered() async throws {
        try await withServer { port in
            let client = try TestConnection(socketAt: port)
            try client.sendFrame([3, 232], opcode: 8)
            #expect(try client.closeCode() == 1000)
            try client.waitForClose()
        }
    }
}
