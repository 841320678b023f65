import RemoteData
import RemoteDataServer
import Testing

struct UsersFileTests {
    private func read(_ json: String) throws -> TableServer.Users {
        try TableServer.Users(json: Array(json.utf8))
    }

    @Test func everythingIsRead() throws {
        let users = try read(
            #"{"users":[{"id":"ann","token":"t1","roles":["editors","x"]},{"token":"t2","id":"bob"}],"guests":"none","newRows":"private"}"#
        )
        #expect(
            users.members.map(\.user) == [
                try AccessUser("ann", roles: ["editors", "x"]), try AccessUser("bob"),
            ]
        )
        #expect(users.members.map(\.token) == ["t1", "t2"])
        #expect(users.guests == .none)
        #expect(users.newRows == .private)
        let least = try read(#" {"users":[]} "#)
        #expect(least.guests == .write)
        #expect(least.newRows == .publicRead)
        #expect(try read(#"{"users":[],"guests":"read","newRows":"write"}"#).newRows == .none)
    }

    @Test(arguments: [
        ("", "The file: "), ("[]", "The file: "), ("{}", "\"users\""), (#"{"users":{}}"#, "\"users\""),
        (#"{"users":[],"user":[]}"#, "\"user\""), (#"{"users":[],"users":[]}"#, "\"users\" too many"),
        (#"{"users":[],"guests":true}"#, "\"none\", \"read\", \"write\""),
        (#"{"users":[],"newRows":"x"}"#, "\"newRows\""),
        (#"{"users":[7]}"#, "users[0]: "), (#"{"users":[{"id":"a"}]}"#, "users[0]: the \"token\""),
        (#"{"users":[{"id":"a","token":"hush"},{"token":"hush2"}]}"#, "users[1]: the \"id\""),
        (
            #"{"users":[{"id":"a","token":"hush"},{"id":"b","token":"hush"}]}"#,
            "users[1]: the token is that of users[0]"
        ),
        (
            #"{"users":[{"id":"a","token":"hush"},{"id":"a","token":"hush2"}]}"#,
            "users[1]: the id is that of users[0]"
        ),
        (#"{"users":[{"id":"a","token":"hush hush"}]}"#, "users[0]: the token has to be one word"),
        (#"{"users":[{"id":"a","token":""}]}"#, "users[0]: the token has to be one word"),
        (#"{"users":[{"id":"role:x","token":"hush"}]}"#, "users[0]: A user's id"),
        (#"{"users":[{"id":"a","token":"hush","roles":"x"}]}"#, "users[0]: \"roles\""),
        (#"{"users":[{"id":"a","token":"hush","roles":[1]}]}"#, "users[0]: a role is no text"),
        (#"{"users":[{"id":"a","token":"hush","roles":[""]}]}"#, "users[0]: The name of a role"),
        (#"{"users":[{"id":"a","token":"hush","admin":true}]}"#, "users[0]: There is a member \"admin\""),
    ])
    func whatIsWrongIsSaidWithoutTokens(json: String, message: String) {
        do {
            _ = try read(json)
            Issue.record("read \(json)")
        } catch {
            let error = error as? TableServerError
            #expect(error?.code == .configuration)
            #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("hush") == false)
        }
    }
}
