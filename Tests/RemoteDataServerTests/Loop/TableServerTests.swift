import Foundation
import RemoteData
import RemoteDataServer
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TableServerTests {
    @Test func oneConnectionCarriesEveryRequest() async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            let created = try client.ask("POST", "/api/data/people", #"{"objectId":"a","name":"Ann"}"#)
            #expect(created.status == 200)
            #expect(created.text == #"{"objectId":"a","name":"Ann"}"#)
            #expect(created.fields["etag"] == "\"1-0a1b2c3d\"")
            #expect(created.fields["content-type"] == "application/json")
            #expect(created.fields["date"]?.hasSuffix(" GMT") == true)
            let page = try client.ask("GET", "/api/data/people?where=name%20%3D%20'Ann'")
            #expect(page.text == #"[{"objectId":"a","name":"Ann"}]"#)
            #expect(page.fields["table-revision"] == "1")
            #expect(page.fields["table-epoch"] == "0a1b2c3d")
            #expect(try client.ask("HEAD", "/api/data/people/a").fields["content-length"] == "29")
            #expect(try client.ask("GET", "/api/data/nope").text == "[]")
            #expect(try client.ask("PATCH", "/api/data/people").fields["allow"] == "GET, HEAD, POST")
            #expect(
                try client.ask("POST", "/api/data/bulk/people", #"[{"objectId":1},{"objectId":2}]"#).text
                    == "[1,2]"
            )
            #expect(
                try client.ask("PUT", "/api/data/people/1", #"{"name":"B"}"#).text
                    == #"{"objectId":1,"name":"B"}"#
            )
            #expect(try client.ask("DELETE", "/api/data/people/2").status == 200)
            #expect(try client.ask("GET", "/api/data/people/count").text == "2")
        }
    }

    @Test func pipelinedRequestsAreAnsweredInOrder() async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            try client.send(
                (0..<50).map { TestConnection.request("POST", "/api/data/t", #"{"objectId":\#($0)}"#) }
                    .joined()
            )
            for index in 0..<50 { #expect(try client.answer().text == #"{"objectId":\#(index)}"#) }
        }
    }

    @Test func aHalfClosedClientStillGetsItsAnswer() async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            try client.send(TestConnection.request("GET", "/api/info"))
            client.finishWriting()
            #expect(try client.answer().status == 200)
            try client.waitForClose()
        }
    }

    @Test func chunkedBodiesAreRead() async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            try client.send(
                "POST /api/data/t HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n"
            )
            #expect(try client.take(through: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            try client.send("9\r\n{\"objectI\r\n6\r\nd\":42}\r\n0\r\n\r\n")
            #expect(try client.answer().text == #"{"objectId":42}"#)
        }
    }

    @Test func aLargeBodyIsTakenAndALargerOneRefused() async throws {
        try await withServer { port in
            let limit = 16 << 20
            let frame = #"{"objectId":1,"a":""}"#
            let row =
                #"{"objectId":1,"a":""# + String(repeating: "x", count: limit - frame.utf8.count) + "\"}"
            #expect(row.utf8.count == limit)
            let client = try TestConnection(port: port)
            let stored = try client.ask("PUT", "/api/data/t/upsert", row)
            #expect(stored.status == 200)
            #expect(stored.body.count == limit)
            // Refused by its length, and read to the end so that the answer is not lost.
            let answer = try client.ask("PUT", "/api/data/t/upsert", row + " ")
            #expect(answer.status == 413)
            #expect(answer.code == 1413)
            #expect(answer.fields["connection"] == "close")
            try client.waitForClose()
        }
    }

    @Test(arguments: [
        ("\u{16}\u{3}\u{1}\u{2}garbage\r\n\r\n", 400), ("<html></html>\r\n\r\n", 400),
        ("GET / HTTP/3.0\r\n\r\n", 400),
        ("GET /" + String(repeating: "a", count: 70_000), 414),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nX: " + String(repeating: "a", count: 70_000), 431),
        ("POST /api/data/t HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n", 501),
    ])
    func whatIsNoRequestIsAnsweredAndTheConnectionClosed(text: String, status: Int) async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            try client.send(text)
            let answer = try client.answer()
            #expect(answer.status == status)
            #expect(answer.code != nil)
            try client.waitForClose()
        }
    }

    @Test func badJSONLeavesTheConnectionUsable() async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            for body in ["{", "<html>", "[1]", #"{"objectId":true}"#, "\u{0}"] {
                #expect(try client.ask("POST", "/api/data/t", body).code == 1018)
            }
            #expect(try client.ask("POST", "/api/data/t", #"{"objectId":1}"#).status == 200)
        }
    }

    @Test(arguments: [
        "GET /api/inf", "POST /api/data/t HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\n{",
    ])
    func aSlowClientIsTold(beginning: String) async throws {
        try await withServer(configure: { $0.deadlines.request = .milliseconds(50) }) { port in
            var answer: TestConnection.Answer?
            while answer == nil {
                // One that has sent nothing in time is closed without a word; then this machine was slow.
                let client = try TestConnection(port: port)
                try? client.send(beginning)
                answer = try? client.answer()
            }
            #expect(answer?.status == 408)
            #expect(answer?.code == 1408)
        }
    }

    @Test func aClientThatSaysNothingIsClosed() async throws {
        try await withServer(configure: { $0.deadlines.request = .milliseconds(50) }) { port in
            try TestConnection(port: port).waitForClose()
        }
    }

    @Test func anIdleConnectionIsClosed() async throws {
        try await withServer(configure: { $0.deadlines.keepAlive = .milliseconds(50) }) { port in
            let client = try TestConnection(port: port)
            #expect(try client.ask("GET", "/api/info").status == 200)
            try client.waitForClose()
        }
    }

    @Test func aStorageThatHangsIsNotWaitedForWithoutEnd() async throws {
        let store = HangingStore()
        let configure: (inout TableServer.Configuration) -> Void = { $0.deadlines.answer = .milliseconds(50) }
        try await withServer(store, configure: configure) { port in
            let client = try TestConnection(port: port)
            let answer = try client.ask("GET", "/api/data/t")
            #expect(answer.code == 1503)
            #expect(answer.fields["retry-after"] != nil)
            store.release()
        }
    }

    @Test func othersAreServedWhileAStorageHangs() async throws {
        let store = HangingStore()
        try await withServer(store) { port in
            let stuck = try (0..<20).map { _ in try TestConnection(port: port) }
            for client in stuck { try client.send(TestConnection.request("GET", "/api/data/t")) }
            #expect(try TestConnection(port: port).ask("GET", "/api/info").status == 200)
            store.release()
            for client in stuck { #expect(try client.answer().status == 404) }
        }
    }

    @Test func manyConnectionsAreServedAndTooManyRefused() async throws {
        try await withServer(configure: { $0.limits.connections = 100 }) { port in
            let clients = try (0..<100).map { _ in try TestConnection(port: port) }
            for client in clients { #expect(try client.ask("GET", "/api/info").status == 200) }
            let refused = try TestConnection(port: port)
            let answer = try refused.ask("GET", "/api/info")
            #expect(answer.status == 429)
            #expect(answer.code == 1429)
            try refused.waitForClose()
            for client in clients { #expect(try client.ask("GET", "/api/info").status == 200) }
        }
    }

    @Test func allRequestsTogetherHaveALimit() async throws {
        try await withServer(configure: { $0.limits.requestBytes = 500_000 }) { port in
            func row(_ size: Int) -> String {
                #"{"objectId":1,"a":""# + String(repeating: "x", count: size) + "\"}"
            }
            let client = try TestConnection(port: port)
            // What is kept is given back: more than the limit goes by in turn.
            for _ in 0..<5 {
                #expect(try client.ask("PUT", "/api/data/t/upsert", row(400_000)).status == 200)
            }
            for _ in 0..<3 {
                let large = try TestConnection(port: port)
                let answer = try large.ask("PUT", "/api/data/t/upsert", row(700_000))
                #expect(answer.code == 1503)
                #expect(answer.fields["retry-after"] == "1")
            }
            #expect(try client.ask("PUT", "/api/data/t/upsert", row(400_000)).status == 200)
        }
    }

    @Test("Of too many answers that nobody reads, the one that has waited longest is dropped")
    func unreadAnswersHaveALimit() async throws {
        try await withServer(configure: { $0.limits.unreadBytes = 30_000_000 }) { port in
            let row = #"{"objectId":1,"a":""# + String(repeating: "x", count: 12_000_000) + "\"}"
            #expect(try TestConnection(port: port).ask("PUT", "/api/data/t/upsert", row).status == 200)
            let slow = try (0..<2).map { _ in
                let client = try TestConnection(port: port, receiveBuffer: 4_096)
                try client.send(TestConnection.request("GET", "/api/data/t"))
                _ = try client.take(through: "\r\n\r\n")
                return client
            }
            for _ in 0..<3 {
                let answer = try TestConnection(port: port).ask("GET", "/api/data/t")
                #expect(answer.body.count == row.utf8.count + 2)
            }
            try slow[0].waitForClose()
            #expect(slow[0].input.count < row.utf8.count)
            #expect(try slow[1].take(row.utf8.count + 2).count == row.utf8.count + 2)
        }
    }

    @Test func theTokenIsAskedForEverywhere() async throws {
        try await withServer(configure: { $0.token = "secret" }) { port in
            let client = try TestConnection(port: port)
            for fields in [[:], ["Authorization": "Bearer wrong"], ["user-token": "secrets"]] {
                let answer = try client.ask("GET", "/api/info", fields: fields)
                #expect(answer.status == 401)
                #expect(answer.code == 3064)
                #expect(answer.fields["www-authenticate"] == "Bearer")
            }
            #expect(
                try client.ask("GET", "/api/info", fields: ["Authorization": "Bearer secret"]).status == 200
            )
            try client.send(TestConnection.handshake())
            #expect(try client.answer().status == 401)
            let listener = try TestConnection(socketAt: port, fields: ["user-token": "secret"])
            try listener.say(#"{"type":"subscribe","id":"s","table":"t"}"#)
            #expect(try listener.hear().contains("subscribed"))
        }
    }

    @Test func aForeignWebPageIsRefused() async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            #expect(try client.ask("GET", "/api/info", fields: ["Origin": "http://elsewhere"]).code == 1403)
            try client.send(TestConnection.handshake(["Origin": "http://elsewhere"]))
            #expect(try client.answer().status == 403)
        }
    }

    @Test func everyAnswerIsLogged() async throws {
        let log = Log()
        try await withServer(configure: { $0.log = { log.add($0) } }) { port in
            let client = try TestConnection(port: port)
            let answer = try client.ask("GET", "/api/data/t?where=a%20%3D%201")
            try client.send("nonsense\r\n\r\n")
            _ = try client.answer()
            let entries = log.entries
            #expect(entries.map(\.method) == ["GET", ""])
            #expect(entries.map(\.target) == ["/api/data/t?where=a%20%3D%201", ""])
            #expect(entries.map(\.status) == [200, 400])
            #expect(entries.first?.bytes == answer.body.count)
            #expect(entries.allSatisfy { $0.duration >= .zero })
        }
    }
}

/// Collects what a server logs.
final class Log: Sendable {
    private let state = Mutex<[RequestLog]>([])
    var entries: [RequestLog] { state.withLock { $0 } }
    func add(_ entry: RequestLog) { state.withLock { $0.append(entry) } }
}

/// A store that answers when it is let, and then that it has nothing.
final class HangingStore: TableStore {
    private struct State {
        var waiters: [CheckedContinuation<Void, Never>] = []
        var isReleased = false
    }

    private let state = Mutex(State())
    private let arrived: @Sendable () -> Void

    init(arrived: @escaping @Sendable () -> Void = {}) { self.arrived = arrived }

    func release() {
        let waiters = state.withLock { state in
            state.isReleased = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
            let isReleased = state.withLock { state in
                if !state.isReleased { state.waiters.append(continuation) }
                return state.isReleased
            }
            if isReleased { continuation.resume() }
            arrived()
        }
        return nil
    }

    func tableNames() async throws(RemoteDataError) -> [String] { [] }
}
