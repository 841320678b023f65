import RemoteData
import Testing

@testable import RemoteDataServer

/// Who is kept connected where there are too many.
@Suite(.timeLimit(.minutes(5)))
struct AdmissionTests {
    private static let ann = ["Authorization": "Bearer one"]

    private func withUsers(
        _ limits: @escaping (inout TableServer.Limits) -> Void,
        _ body: @escaping @Sendable (Int) throws -> Void
    ) async throws {
        let users = try TableServer.Users([.init(try AccessUser("ann"), token: "one")], guests: .read)
        try await withServer(configure: {
            $0.users = users
            limits(&$0.limits)
        }) { port in try body(port) }
    }

    private static func status(_ client: TestConnection, _ fields: [String: String] = [:]) throws -> Int {
        try client.ask("GET", "/api/info", fields: fields).status
    }

    // MARK: Before sign-in

    @Test(
        "Silent connections take no place of others",
        arguments: [
            "", "GET /api/info HT",
            TestConnection.request("GET", "/api/info", fields: ["User-Token": "wrong"]),
        ]
    )
    func silence(text: String) async throws {
        try await withUsers({ ($0.connections, $0.connectionsBeforeSignIn) = (8, 5) }) { port in
            let member = try TestConnection(port: port)
            #expect(try Self.status(member, Self.ann) == 200)
            let guest = try TestConnection(port: port)
            #expect(try Self.status(guest) == 200)
            let silent = try (0..<40).map { _ in
                let client = try TestConnection(port: port)
                try client.send(text)
                return client
            }
            let newcomer = try TestConnection(port: port)
            #expect(try Self.status(newcomer, Self.ann) == 200)
            // Those that came first had to go, and none that has asked for something.
            for client in silent.prefix(36) { while try client.receive() {} }
            #expect(try Self.status(try #require(silent.last), Self.ann) != 429)
            #expect(try Self.status(member, Self.ann) == 200)
            #expect(try Self.status(guest) == 200)
        }
    }

    @Test("Of connections that ask for nothing the oldest goes of the busiest address")
    func fairness() {
        let (one, two) = (PeerAddress(ipv4: [10, 0, 0, 1]), PeerAddress(ipv4: [10, 0, 0, 2]))
        #expect(Admission.leastWanted([]) == nil)
        #expect(Admission.leastWanted([(7, one), (3, nil)]) == 3)
        #expect(Admission.leastWanted([(1, one), (2, two), (4, two), (3, two)]) == 2)
        #expect(Admission.leastWanted([(2, two), (1, one), (4, nil), (3, nil)]) == 3)
    }

    @Test("A connection counts as long as it is kept, and once")
    func counts() {
        var limits = TableServer.Limits()
        limits.connectionsBeforeSignIn = 2
        let admission = Admission(limits)
        var visitors = (0..<2).map { _ in admission.arrive(from: nil) }
        #expect(admission.isCrowded)
        admission.admit(visitors[0], as: .guest)
        #expect(!admission.isCrowded)
        visitors.append(admission.arrive(from: nil))
        #expect(admission.isCrowded)
        visitors.removeAll()
        #expect(!admission.isCrowded)
    }

    // MARK: Guests

    @Test("Guests do not take the room of those who send a token")
    func members() async throws {
        try await withUsers({ ($0.connections, $0.guestConnections) = (6, 2) }) { port in
            let guests = try (0..<2).map { _ in try TestConnection(socketAt: port) }
            let refused = try TestConnection(port: port)
            let answer = try refused.ask("GET", "/api/info")
            #expect((answer.status, answer.code) == (429, 1429))
            #expect(answer.fields["retry-after"] == "1")
            try refused.waitForClose()
            let members = try (0..<4).map { _ in try TestConnection(port: port) }
            for member in members { #expect(try Self.status(member, Self.ann) == 200) }
            #expect(try Self.status(try TestConnection(port: port), Self.ann) == 429)
            // A member's connection stays one.
            #expect(try Self.status(members[0]) == 200)
            try guests[0].sendFrame([], opcode: 8)
            try guests[0].waitForClose()
            #expect(try Self.status(try TestConnection(port: port)) == 200)
        }
    }

    @Test("A guest's connection that waits for its next request makes room")
    func idleGuests() async throws {
        try await withUsers({ ($0.connections, $0.guestConnections) = (10, 2) }) { port in
            let guests = try (0..<2).map { _ in try TestConnection(port: port) }
            for guest in guests.reversed() { #expect(try Self.status(guest) == 200) }
            let newcomer = try TestConnection(port: port)
            #expect(try Self.status(newcomer) == 200)
            try guests[1].waitForClose()
            #expect(try Self.status(guests[0]) == 200)
            // One that sends a token counts as a guest no longer.
            #expect(try Self.status(guests[0], Self.ann) == 200)
            #expect(try Self.status(try TestConnection(port: port)) == 200)
            #expect(try Self.status(newcomer) == 200)
        }
    }

    @Test("Guests of one address leave room for those of others")
    func addresses() {
        var limits = TableServer.Limits()
        (limits.connections, limits.guestConnections, limits.guestsPerAddress) = (10, 6, 2)
        let admission = Admission(limits)
        var visitors: [Admission.Visitor] = []
        func guest(_ bytes: [UInt8]) -> Admission.Obstacle? {
            let visitor = admission.arrive(from: PeerAddress(ipv4: bytes))
            if let obstacle = admission.obstacle(for: visitor, as: .guest) { return obstacle }
            admission.admit(visitor, as: .guest)
            visitors.append(visitor)
            return nil
        }
        #expect((0..<3).map { _ in guest([10, 0, 0, 1]) } == [nil, nil, .address])
        #expect(guest([10, 0, 0, 2]) == nil)
        // This machine is not counted, a proxy may be here.
        #expect((0..<4).map { _ in guest([127, 0, 0, 1]) } == [nil, nil, nil, .guests])
        visitors.removeFirst()
        #expect(guest([10, 0, 0, 1]) == nil)
        // A guest who sends a token leaves room for another one.
        #expect(admission.obstacle(for: visitors[0], as: .member) == nil)
        admission.admit(visitors[0], as: .member)
        #expect(guest([10, 0, 0, 1]) == nil)
    }

    @Test("Guests of one address are not more because others leave room")
    func addressesInACrowd() {
        var limits = TableServer.Limits()
        (limits.connections, limits.guestConnections, limits.guestsPerAddress) = (4, 4, 1)
        let admission = Admission(limits)
        let visitors = (1...4).map { admission.arrive(from: PeerAddress(ipv4: [10, 0, 0, $0])) }
        for visitor in visitors { admission.admit(visitor, as: .guest) }
        let newcomer = admission.arrive(from: PeerAddress(ipv4: [10, 0, 0, 1]))
        #expect(admission.obstacle(for: newcomer, as: .guest) == .address)
        #expect(admission.obstacle(for: newcomer, as: .member) == .connections)
        #expect(admission.obstacle(for: admission.arrive(from: nil), as: .guest) == .connections)
        withExtendedLifetime(visitors) {}
    }

    @Test("Addresses of one customer are the same")
    func address() {
        let zeros = [UInt8](repeating: 0, count: 10)
        let network: [UInt8] = [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 1]
        let first = PeerAddress(ipv6: network + [0, 0, 0, 0, 0, 0, 0, 1])
        #expect(first != nil)
        #expect(first == PeerAddress(ipv6: network + [9, 9, 9, 9, 9, 9, 9, 9]))
        #expect(first != PeerAddress(ipv6: Array(network[..<7]) + [2] + [0, 0, 0, 0, 0, 0, 0, 1]))
        #expect(PeerAddress(ipv6: zeros + [0xFF, 0xFF, 10, 0, 0, 1]) == PeerAddress(ipv4: [10, 0, 0, 1]))
        #expect(PeerAddress(ipv4: [10, 0, 0, 1]) != PeerAddress(ipv4: [10, 0, 0, 2]))
        #expect(PeerAddress(ipv6: zeros + [0, 0, 0, 0, 0, 1]) == nil)
        #expect(PeerAddress(ipv6: zeros + [0xFF, 0xFF, 127, 0, 0, 1]) == nil)
        #expect(PeerAddress(ipv4: [127, 3, 2, 1]) == nil)
        #expect(PeerAddress(of: -1) == nil)
    }
}
