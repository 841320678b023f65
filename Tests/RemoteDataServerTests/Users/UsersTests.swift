import Foundation
import RemoteData
import RemoteDataServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct UsersTests {
    private static func users(
        _ guests: TableServer.Users.Guests = .write,
        newRows: DefaultACL = .publicRead
    ) throws -> TableServer.Users {
        try TableServer.Users(
            [
                .init(try AccessUser("ann", roles: ["editors"]), token: "a-token"),
                .init(try AccessUser("bob"), token: "b-token"),
            ],
            guests: guests,
            newRows: newRows
        )
    }

    private static let ann = ["Authorization": "Bearer a-token"]
    private static let bob = ["User-Token": "b-token"]
    private static let admin = ["Authorization": "Bearer all"]
    private static let both = #"{"*":{},"ann":{"read":true,"write":true},"bob":{"read":true}}"#
    private static let anns = #"{"ann":{"read":true,"write":true}}"#

    private func withUsers(
        _ guests: TableServer.Users.Guests = .write,
        newRows: DefaultACL = .publicRead,
        _ body: @escaping @Sendable (Int) throws -> Void
    ) async throws {
        let users = try Self.users(guests, newRows: newRows)
        try await withServer(configure: {
            $0.users = users
            $0.token = "all"
        }) { port in try body(port) }
    }

    @Test func eachTokenSeesItsOwnRows() async throws {
        try await withUsers { port in
            let client = try TestConnection(port: port)
            let rows =
                #"[{"objectId":1,"ACL":\#(Self.both)},{"objectId":2,"ACL":\#(Self.anns)},{"objectId":3}]"#
            #expect(try client.ask("POST", "/api/data/bulk/t", rows, fields: Self.admin).text == "[1,2,3]")
            for (fields, ids) in [
                (Self.ann, [1, 2, 3]), (Self.bob, [1, 3]), ([:], [3]), (Self.admin, [1, 2, 3]),
            ] {
                let page = try client.ask("GET", "/api/data/t", fields: fields)
                #expect((page.json as? [[String: Any]])?.compactMap { $0["objectId"] as? Int } == ids)
                #expect(page.fields["cache-control"] == "no-store")
                #expect(try client.ask("GET", "/api/data/t/count", fields: fields).text == "\(ids.count)")
                #expect(try client.ask("POST", "/api/data/t/find", "{}", fields: fields).body == page.body)
                #expect(
                    try client.ask("GET", "/api/data/t/2", fields: fields).status
                        == (ids.contains(2) ? 200 : 404)
                )
            }
        }
    }

    @Test("An ACL that would not allow what it seems to is refused for every caller")
    func oddACLs() async throws {
        try await withUsers { port in
            let client = try TestConnection(port: port)
            let made = try client.ask("POST", "/api/data/t", #"{"objectId":"a"}"#, fields: Self.admin)
            #expect(made.status == 200)
            for acl in [#"{"ann":{"read":1}}"#, #"{"ann":true}"#, #""ann""#, "7"] {
                let row = #"{"objectId":"b","ACL":\#(acl)}"#
                let patch = #"{"ACL":\#(acl)}"#
                for (method, path, body) in [
                    ("POST", "/api/data/t", row), ("PUT", "/api/data/t/upsert", row),
                    ("PUT", "/api/data/t/a", patch), ("POST", "/api/data/bulk/t", "[\(row)]"),
                    ("PUT", "/api/data/bulkupsert/t", "[\(row)]"),
                ] {
                    let answer = try client.ask(method, path, body, fields: Self.admin)
                    #expect(answer.status == 400, "\(method) \(path) \(body): \(answer.text)")
                }
            }
            #expect(try client.ask("GET", "/api/data/t/count", fields: Self.admin).text == "1")
        }
    }

    @Test func anUnknownTokenIsNobody() async throws {
        try await withUsers { port in
            let client = try TestConnection(port: port)
            for fields in [
                ["Authorization": "Bearer x"], ["Authorization": "Basic a-token"], ["User-Token": ""],
                ["User-Token": "a-toke"],
            ] {
                let answer = try client.ask("GET", "/api/info", fields: fields)
                #expect(answer.status == 401)
                #expect(answer.fields["www-authenticate"] == "Bearer")
                try TestConnection(port: port).send(TestConnection.handshake(fields))
            }
            #expect(throws: TestConnection.Failure.self) {
                try TestConnection(socketAt: port, fields: ["Authorization": "Bearer x"])
            }
        }
    }

    @Test func guestsMayDoAsMuchAsIsSaid() async throws {
        for (guests, reads, writes) in [
            (TableServer.Users.Guests.write, 200, 200), (.read, 200, 401), (.none, 401, 401),
        ] {
            try await withUsers(guests) { port in
                let client = try TestConnection(port: port)
                _ = try client.ask("POST", "/api/data/t", #"{"objectId":1}"#, fields: Self.admin)
                // A refusal may close the connection.
                func ask(_ method: String, _ target: String, _ body: String? = nil) throws -> Int {
                    try TestConnection(port: port).ask(method, target, body).status
                }
                #expect(try ask("GET", "/api/data/t") == reads)
                #expect(try ask("PUT", "/api/data/t/1", #"{"a":1}"#) == writes)
                #expect(try ask("POST", "/api/data/t", "{}") == writes)
                if reads == 401 {
                    #expect(throws: TestConnection.Failure.self) { try TestConnection(socketAt: port) }
                } else {
                    // A web page from elsewhere is no guest.
                    #expect(
                        try client.ask("GET", "/api/data/t", fields: ["Origin": "http://example.com"]).status
                            == 403
                    )
                }
            }
        }
    }

    @Test func errorsSayNoMoreThanRowsDo() async throws {
        try await withUsers { port in
            let client = try TestConnection(port: port)
            let rows = #"[{"objectId":1,"ACL":\#(Self.both)},{"objectId":2,"ACL":\#(Self.anns),"salary":7}]"#
            _ = try client.ask("POST", "/api/data/bulk/t", rows, fields: Self.admin)
            for method in ["PUT", "DELETE"] {
                let body = method == "PUT" ? "{}" : nil
                let hidden = try client.ask(method, "/api/data/t/2", body, fields: Self.bob)
                let absent = try client.ask(method, "/api/data/t/9", body, fields: Self.bob)
                #expect(hidden.status == 404)
                #expect(hidden.text == absent.text.replacing("9", with: "2"))
                let shown = try client.ask(method, "/api/data/t/1", body, fields: Self.bob)
                #expect(shown.status == 403)
                #expect(shown.text == #"{"code":1403,"message":"The row 1 may not be written by who asks."}"#)
                let condition = Self.bob.merging(["If-Match": "\"99\""]) { $1 }
                #expect(try client.ask(method, "/api/data/t/2", body, fields: condition).text == hidden.text)
            }
            #expect(try client.ask("GET", "/api/data/t?where=salry%3D7", fields: Self.bob).text == "[]")
            #expect(
                try client.ask("GET", "/api/data/t?where=salry%3D7", fields: Self.admin).text.contains(
                    "salary"
                )
            )
            #expect(
                try client.ask("GET", "/api/info", fields: Self.bob).text.contains("checksColumns") == false
            )
        }
    }

    @Test func newRowsGetTheACLTheFileSays() async throws {
        for (acl, expected) in [
            (DefaultACL.publicRead, #"{"*":{"read":true},"ann":{"read":true,"write":true}}"#),
            (.private, #"{"ann":{"read":true,"write":true}}"#),
        ] {
            try await withUsers(newRows: acl) { port in
                let client = try TestConnection(port: port)
                let made = try client.ask("POST", "/api/data/t", #"{"objectId":1}"#, fields: Self.ann)
                #expect(made.text == #"{"objectId":1,"ACL":\#(expected)}"#)
                #expect(try client.ask("POST", "/api/data/t", #"{"objectId":2}"#).text == #"{"objectId":2}"#)
            }
        }
    }

    @Test func conditionsAreThoseOfTheRowThatMayBeRead() async throws {
        try await withUsers { port in
            let client = try TestConnection(port: port)
            let row = #"{"objectId":1,"ACL":\#(Self.both)}"#
            let tag = try client.ask("POST", "/api/data/t", row, fields: Self.ann).fields["etag"] ?? ""
            let fields = Self.ann.merging(["If-Match": tag]) { $1 }
            #expect(try client.ask("PUT", "/api/data/t/1", #"{"a":1}"#, fields: fields).status == 200)
            let late = try client.ask("PUT", "/api/data/t/1", #"{"a":2}"#, fields: fields)
            #expect(late.status == 412)
            #expect(late.text.contains(#""row":{"objectId":1"#))
        }
    }

    @Test func keysAreEachUsersOwn() async throws {
        try await withUsers { port in
            let client = try TestConnection(port: port)
            func make(_ fields: [String: String]) throws -> String {
                try client.ask(
                    "POST",
                    "/api/data/t",
                    #"{"a":1}"#,
                    fields: fields.merging(["Idempotency-Key": "k"]) { $1 }
                ).text
            }
            let listener = try TestConnection(socketAt: port, fields: Self.bob)
            try listener.say(#"{"type":"subscribe","id":"s","table":"t"}"#)
            _ = try listener.hear(type: "subscribed")
            let answers = try [Self.ann, Self.bob, Self.admin, [:]].map(make)
            #expect(Set(answers).count == 4)
            #expect(try [Self.ann, Self.bob, Self.admin, [:]].map(make) == answers)
            let heard = try (0..<4).map { _ in
                try listener.hear(type: "change").contains(#""idempotencyKey":"k""#)
            }
            #expect(heard == [false, true, false, false])
        }
    }
}
