import RemoteData
import Testing

@testable import RemoteDataServer

struct AuthorizationTests {
    private func caller(
        _ fields: [(String, String)],
        token: String? = nil,
        isLocal: Bool = true
    ) throws -> Caller {
        let users = try TableServer.Users(
            [.init(try AccessUser("ann"), token: "one")],
            guests: .read,
            newRows: .private
        )
        let head = HTTPRequestHead(
            method: "GET",
            target: "/",
            fields: fields.map { HTTPField(name: $0.0, value: $0.1) }
        )
        return try Authorization(token: token, users: users, isLocal: isLocal).caller(of: head)
    }

    @Test func aTokenNamesItsUser() throws {
        let ann = Caller(user: try AccessUser("ann"), newRows: .private, mayWrite: true)
        #expect(try caller([("authorization", "Bearer one")]) == ann)
        #expect(try caller([("user-token", "one")], token: "all") == ann)
        #expect(try caller([("user-token", "all")], token: "all") == .everything)
        #expect(try caller([]) == Caller(user: .nobody, newRows: .none, mayWrite: false))
    }

    @Test func withUsersWhoeverIsUnknownDoesNotSeeEverything() throws {
        for fields in [[("authorization", "Bearer two")], [("user-token", "")], [("authorization", "one")]] {
            #expect(throws: Authorization.unauthorized) { try caller(fields) }
            #expect(throws: Authorization.unauthorized) { try caller(fields, token: "all") }
        }
    }

    @Test func guestsOfAServerForAllComeFromAnywhere() throws {
        let fields = [("host", "example.com")]
        #expect(throws: HTTPRefusal.self) { try caller(fields) }
        #expect(try caller(fields, isLocal: false).user == .nobody)
    }

    @Test("A page of another origin is no guest", arguments: [true, false])
    func foreignPages(isLocal: Bool) throws {
        let host = isLocal ? "localhost:8080" : "example.com"
        let own = [("host", host), ("origin", "http://\(host)")]
        let foreign = [("host", host), ("origin", "http://elsewhere.example")]
        #expect(try caller(own, isLocal: isLocal).user == .nobody)
        let refusal = #expect(throws: HTTPRefusal.self) { try caller(foreign, isLocal: isLocal) }
        #expect(refusal?.status == 403)
        #expect(try caller(foreign + [("authorization", "Bearer one")], isLocal: isLocal).user?.id == "ann")
    }

    @Test("Beyond this machine guests may write only where both settings permit it")
    func guestsThatWrite() async throws {
        for (guests, isSaidTwice, isTaken) in [
            (TableServer.Users.Guests.write, false, false), (.write, true, true), (.read, false, true),
            (.none, false, true),
        ] {
            var configuration = TableServer.Configuration()
            configuration.host = "0.0.0.0"
            configuration.users = try TableServer.Users([], guests: guests)
            configuration.letsGuestsWrite = isSaidTwice
            let server = TableServer(store: MemoryTableStore(), configuration: configuration)
            do {
                _ = try await server.start()
                #expect(isTaken)
            } catch {
                #expect(!isTaken)
                #expect(error.code == .guestsMayWrite)
                #expect(error.message.contains("guests may write without a token"))
            }
            await server.stop()
        }
    }

    @Test func aUserCannotHaveTheTokenThatSeesEverything() async throws {
        var configuration = TableServer.Configuration()
        configuration.token = "one"
        configuration.users = try TableServer.Users([.init(try AccessUser("ann"), token: "one")])
        let server = TableServer(store: MemoryTableStore(), configuration: configuration)
        await #expect(throws: TableServerError.self) { try await server.start() }
    }
}
