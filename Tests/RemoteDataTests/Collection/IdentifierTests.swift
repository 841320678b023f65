import Foundation
import RemoteData
import RemoteDataTesting
import Testing

private struct Ticket: Codable, Identifiable, Hashable, Sendable {
    var id: Int?
    var title: String
}

private struct Token: Codable, Identifiable, Hashable, Sendable {
    var id: UUID?
    var title: String
}

private struct Device: Codable, Identifiable, Hashable, Sendable {
    let id: UUID
    var title: String
}

/// Whole collections of rows whose ids are integers or UUIDs.
@Suite(.timeLimit(.minutes(2))) struct IdentifierTests {
    /// A table that counts its ids from 1.
    private func makeTickets(idColumn: String = "objectId") -> FaultyTable {
        let counter = Counter()
        return FaultyTable(
            MemoryTable("tickets", idColumn: idColumn) {
                counter.add()
                return .integer(Int64(counter.value))
            }
        )
    }

    private func uuid(_ digit: Character) throws -> UUID {
        let text = "00000000-0000-4000-8000-0000000000AX".map { $0 == "X" ? digit : $0 }
        return try #require(UUID(uuidString: String(text)))
    }

    private func titles<Element>(
        _ collection: RemoteDataCollection<Element>,
        _ title: (Element) -> String
    ) async throws -> [String] {
        var titles: [String] = []
        for try await element in collection.rows { titles.append(title(element)) }
        return titles
    }

    @Test(arguments: ["objectId", "id"]) func integersAreMadeByTheTableOrItsUser(idColumn: String)
        async throws
    {
        let tickets = try await RemoteDataCollection<Ticket>(table: makeTickets(idColumn: idColumn))
        #expect(try await tickets.add(Ticket(title: "one")) == Ticket(id: 1, title: "one"))
        #expect(try await tickets.add(Ticket(id: 100, title: "hundred")) == Ticket(id: 100, title: "hundred"))
        let more = try await tickets.add(contentsOf: [Ticket(title: "two"), Ticket(id: 20, title: "twenty")])
        #expect(more.stored.map(\.id) == [2, 20])
        #expect(try await titles(tickets, \.title) == ["one", "two", "twenty", "hundred"])
        let error = await #expect(throws: RemoteDataError.self) {
            try await tickets.add(Ticket(id: 20, title: ""))
        }
        #expect(error?.code == .alreadyExists)
    }

    @Test(arguments: [true, false]) func rowsWithIntegersAreUpdatedAndRemoved(isLive: Bool) async throws {
        let table = makeTickets()
        let options = CollectionOptions().with(isLive: isLive)
        let tickets = try await RemoteDataCollection<Ticket>(table: table, options: options)
        try await tickets.add(
            contentsOf: (1...12).map { (number: Int) in Ticket(id: number, title: "\(number)") }
        )
        #expect(try await tickets.update(Ticket(id: 10, title: "ten")) == Ticket(id: 10, title: "ten"))
        try await tickets.populate()
        #expect(try await tickets.update(Ticket(id: 11, title: "eleven")).title == "eleven")
        #expect(try await tickets.remove(Ticket(id: 9, title: "")))
        #expect(try await tickets.remove(Ticket(id: 9, title: "")) == false)
        #expect(try await tickets.remove(at: 0).id == 1)
        #expect(try await tickets.removeAll(where: #Predicate { $0.id == 8 }) == 1)
        #expect(try await tickets.removeAll(where: "objectId in (2, 3)") == 2)
        #expect(try await titles(tickets, \.title) == ["4", "5", "6", "7", "ten", "eleven", "12"])
        #expect(tickets.count == 7)
    }

    @Test func changesOfOthersFindTheirIntegers() async throws {
        let table = makeTickets()
        let tickets = try await RemoteDataCollection<Ticket>(table: table)
        let watcher = Watcher(tickets)
        try await tickets.add(contentsOf: [Ticket(title: "1"), Ticket(title: "2"), Ticket(title: "3")])
        try await tickets.populate()
        _ = try await table.base.commit(.update(2, patch: Array(#"{"title":"two"}"#.utf8)[...]))
        _ = try await table.base.commit(.delete(1))
        try await watcher.until(1, .deleted)
        #expect(try await titles(tickets, \.title) == ["two", "3"])
    }

    @Test func uuidsAreMadeByTheTableOrItsUser() async throws {
        let tokens = try await RemoteDataCollection<Token>(table: MemoryTable("tokens"))
        let made = try #require(try await tokens.add(Token(title: "made there")))
        #expect(made.id != nil)
        let own = Token(id: UUID(), title: "made here")
        #expect(try await tokens.add(own) == own)
        let stored = try await tokens.rows.reduce(into: Set()) { $0.insert($1) }
        #expect(stored == [made, own])
    }

    @Test func rowsWithUUIDsAreUpdatedAndRemoved() async throws {
        let devices = try await RemoteDataCollection<Device>(table: MemoryTable("devices"))
        let all = try "1234".map { Device(id: try uuid($0), title: String($0)) }
        #expect(try await devices.add(contentsOf: all).stored == all)
        let changed = Device(id: try uuid("3"), title: "three")
        #expect(try await devices.update(changed) == changed)
        #expect(try await devices.remove(all[0]))
        #expect(try await devices.remove(all[0]) == false)
        let wanted = try uuid("2")
        #expect(try await devices.removeAll(where: #Predicate { $0.id == wanted }) == 1)
        #expect(try await titles(devices, \.title) == ["three", "4"])
        #expect(try await devices.row(at: 0) == changed)
    }

    @Test(arguments: [true, false]) func aUUIDInSmallLettersIsTheSame(isLoaded: Bool) async throws {
        let table = FaultyTable(MemoryTable("devices"))
        let ids = try "12".map { try uuid($0) }
        for id in ids {
            try await table.putByOthers(#"{"objectId":"\#(id.uuidString.lowercased())","title":"a"}"#)
        }
        let devices = try await RemoteDataCollection<Device>(table: table)
        if isLoaded { try await devices.populate() }
        let changed = Device(id: ids[0], title: "b")
        #expect(try await devices.update(changed) == changed)
        #expect(try await devices.remove(Device(id: ids[1], title: "")))
        #expect(try await titles(devices, \.title) == ["b"])
        #expect(try await table.base.count(nil).value == 1)
        #expect(try await table.base.row(.text(ids[0].uuidString.lowercased())) != nil)
    }
}
