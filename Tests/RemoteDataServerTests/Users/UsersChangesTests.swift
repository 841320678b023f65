import Foundation
import RemoteData
import RemoteDataServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UsersChangesTests {
    private static let ann = ["Authorization": "Bearer a-token"]
    private static let bob = ["Authorization": "Bearer b-token"]
    private static let both = #"{"ann":{"read":true,"write":true},"bob":{"read":true}}"#
    private static let anns = #"{"ann":{"read":true,"write":true}}"#

    private func withUsers(_ body: @escaping @Sendable (Int) throws -> Void) async throws {
        let users = try TableServer.Users([
            .init(try AccessUser("ann"), token: "a-token"), .init(try AccessUser("bob"), token: "b-token"),
        ])
        try await withServer(configure: { $0.users = users }) { port in try body(port) }
    }

    private func listen(_ port: Int, _ fields: [String: String], _ more: String = "") throws -> TestConnection
    {
        let listener = try TestConnection(socketAt: port, fields: fields)
        try listener.say(#"{"type":"subscribe","id":"s","table":"t"\#(more)}"#)
        _ = try listener.hear(type: "subscribed")
        return listener
    }

    /// The kind of the next change, and what it says of leaving, clauses and counts.
    private func next(_ listener: TestConnection) throws -> String {
        let json = try JSONSerialization.jsonObject(with: Data(try listener.hear(type: "change").utf8))
        let frame = json as? [String: Any] ?? [:]
        let id = frame["objectId"] ?? (frame["row"] as? [String: Any])?["objectId"]
        return ["kind", "left", "where", "count"].compactMap { frame[$0].map { "\($0)" } }.joined(
            separator: " "
        )
            + (id.map { " of \($0)" } ?? "")
    }

    @Test func aRowThatIsWithdrawnIsDeletedForOneAndUpdatedForTheOther() async throws {
        try await withUsers { port in
            let client = try TestConnection(port: port)
            let (anns, bobs, guests) = (
                try listen(port, Self.ann), try listen(port, Self.bob, #","where":"n < 9""#),
                try listen(port, [:])
            )
            _ = try client.ask(
                "POST",
                "/api/data/t",
                #"{"objectId":1,"n":1,"ACL":\#(Self.both)}"#,
                fields: Self.ann
            )
            #expect(try next(anns) == "created of 1")
            #expect(try next(bobs) == "created of 1")
            _ = try client.ask("PUT", "/api/data/t/1", #"{"ACL":\#(Self.anns)}"#, fields: Self.ann)
            #expect(try next(anns) == "updated of 1")
            #expect(try next(bobs) == "deleted of 1")
            _ = try client.ask("PUT", "/api/data/t/1", #"{"ACL":\#(Self.both)}"#, fields: Self.ann)
            #expect(try next(bobs) == "created of 1")
            _ = try client.ask("PUT", "/api/data/t/1", #"{"n":9}"#, fields: Self.ann)
            #expect(try next(bobs) == "deleted 1 of 1")
            _ = try client.ask("POST", "/api/data/t", #"{"objectId":2}"#)
            #expect(try next(guests) == "created of 2")
        }
    }

    /// The epoch that a caller is given.
    private func epoch(_ client: TestConnection, _ fields: [String: String]) throws -> String {
        try client.ask("GET", "/api/data/t/count", fields: fields).fields["table-epoch"] ?? ""
    }

    @Test func aBulkOfRemovalsIsToldAsMuchAsIsSeen() async throws {
        try await withUsers { port in
            let client = try TestConnection(port: port)
            let rows =
                #"[{"objectId":1,"n":1,"ACL":\#(Self.both)},{"objectId":2,"n":1,"ACL":\#(Self.anns)},{"objectId":3,"n":1,"ACL":{"bob":{"read":true,"write":true}}}]"#
            let made = try client.ask("POST", "/api/data/bulk/t", rows, fields: Self.ann)
            let (anns, bobs) = (try listen(port, Self.ann), try listen(port, Self.bob))
            let clause = #"{"where":"n = 1"}"#
            #expect(try client.ask("POST", "/api/data/bulk/t/delete", clause, fields: Self.ann).text == "2")
            #expect(try next(anns) == "bulkDeleted n = 1 2")
            #expect(try next(bobs) == "bulkDeleted objectId IN (1) 1")
            #expect(
                try client.ask("PUT", "/api/data/bulk/t?where=n%3D1", #"{"n":2}"#, fields: Self.bob).text
                    == "1"
            )
            #expect(try next(bobs) == "updated of 3")
            let since = "/api/data/t/changes?since=\(made.fields["table-revision"] ?? "")&epoch="
            let log = try client.ask("GET", since + epoch(client, Self.bob), fields: Self.bob)
            let kinds = ((log.json as? [String: Any])?["changes"] as? [[String: Any]])?.compactMap {
                $0["kind"] as? String
            }
            #expect(kinds == ["bulkDeleted", "updated"])
            let guests = try client.ask("GET", since + epoch(client, [:]))
            #expect(guests.text.hasPrefix(#"{"changes":[],"#))
            #expect(guests.fields["table-revision"] == log.fields["table-revision"])
        }
    }

    @Test func aSubscriptionIsResumedWithWhatWasSeenMeanwhile() async throws {
        try await withUsers { port in
            let client = try TestConnection(port: port)
            let made = try client.ask(
                "POST",
                "/api/data/t",
                #"{"objectId":1,"ACL":\#(Self.both)}"#,
                fields: Self.ann
            )
            _ = try client.ask("PUT", "/api/data/t/1", #"{"ACL":\#(Self.anns),"n":1}"#, fields: Self.ann)
            _ = try client.ask("PUT", "/api/data/t/1", #"{"ACL":\#(Self.anns),"n":2}"#, fields: Self.ann)
            _ = try client.ask("POST", "/api/data/t", #"{"objectId":2}"#, fields: Self.ann)
            let bobsEpoch = try epoch(client, Self.bob)
            #expect(bobsEpoch != made.fields["table-epoch"])
            let since = #","since":\#(made.fields["table-revision"] ?? ""),"epoch":"\#(bobsEpoch)""#
            let bobs = try listen(port, Self.bob, since)
            #expect(try next(bobs) == "deleted of 1")
            #expect(try next(bobs) == "created of 2")
        }
    }
}
