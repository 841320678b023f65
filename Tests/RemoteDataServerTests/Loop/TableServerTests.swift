import Foundation
import RemoteData
import RemoteDataServer
import Testing

@Suite(.timeLimit(.minutes(3)))
struct TableServerTests {
    @Test func aWrittenRowIsRead() async throws {
        try await withServer { port in
            let client = try TestConnection(port: port)
            let created = try client.ask("POST", "/api/data/people", #"{"objectId":"a","name":"Ann"}"#)
            #expect(created.status == 200)
            #expect(created.text == #"{"objectId":"a","name":"Ann"}"#)
            #expect(created.fields["etag"] == "\"1\"")
            let page = try client.ask("GET", "/api/data/people?where=name%20%3D%20'Ann'")
            #expect(page.text == #"[{"objectId":"a","name":"Ann"}]"#)
            #expect(page.fields["table-revision"] == "1")
        }
    }

    @Test func aSubscriberHearsOfARow() async throws {
        try await withServer { port in
            let writer = try TestConnection(port: port)
            let listener = try TestConnection(socketAt: port)
            try listener.say(#"{"type":"subscribe","id":"s","table":"people"}"#)
            #expect(try listener.hear() == #"{"id":"s","revision":0,"type":"subscribed"}"#)
            _ = try writer.ask("POST", "/api/data/people", #"{"objectId":"a"}"#)
            #expect(
                try listener.hear()
                    == #"{"id":"s","kind":"created","revision":1,"row":{"objectId":"a"},"type":"change"}"#
            )
        }
    }
}
