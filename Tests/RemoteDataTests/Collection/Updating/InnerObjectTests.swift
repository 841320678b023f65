import RemoteData
import RemoteDataTesting
import Testing

/// Updates of columns that are objects, and of elements that know less than their row has.
@Suite(.timeLimit(.minutes(2))) struct InnerObjectTests {
    struct House: Codable, Identifiable, Hashable, Sendable {
        struct Address: Codable, Hashable, Sendable {
            var street: String
            var zip: Int?
        }

        var id: String
        var address: Address?
        var rooms: [String: Int]?
        var price: Double?
    }

    private func open(
        _ json: String,
        isLive: Bool = true
    ) async throws -> (FaultyTable, RemoteDataCollection<House>) {
        let memory = MemoryTable("houses")
        _ = try await memory.commit(.create([draft(json)]))
        let table = FaultyTable(memory)
        let options = CollectionOptions().with(isLive: isLive)
        let houses = try await RemoteDataCollection<House>(table: table, options: options)
        if isLive { try await houses.untilLive() }
        try await houses.populate()
        return (table, houses)
    }

    private let json =
        #"{"objectId":"a","address":{"zip":1,"street":"x","hidden":7},"rooms":{"a":1,"b":2},"note":"n"}"#

    @Test("Of an object only what was changed in it is changed", arguments: [true, false])
    func partOfAnObject(isLive: Bool) async throws {
        let (table, houses) = try await open(json, isLive: isLive)
        let house = try await houses.row(at: 0)
        let watcher = Watcher(houses)
        try await table.updateByOthers("a", #"{"address":{"zip":4242,"street":"x","hidden":8}}"#)
        if isLive { try await watcher.until(1, .updated) }
        var changed = house
        changed.address?.street = "new"
        let stored = try await houses.update(changed, from: house)
        #expect(stored.address == House.Address(street: "new", zip: 4242))
        #expect(try await table.base.row("a")?[ColumnPath(names: ["address", "hidden"])] == 8)
        #expect(try await table.base.row("a")?["note"] == "n")
    }

    @Test("A part of an object that others changed is not undone", arguments: [true, false])
    func stalePartOfAnObject(isLive: Bool) async throws {
        let (table, houses) = try await open(json, isLive: isLive)
        var house = try await houses.row(at: 0)
        let watcher = Watcher(houses)
        try await table.updateByOthers("a", #"{"address":{"zip":4242,"street":"x"}}"#)
        if isLive { try await watcher.until(1, .updated) }
        house.address?.street = "new"
        let stale = house
        if isLive {
            let error = await #expect(throws: RemoteDataError.self) { try await houses.update(stale) }
            #expect(error?.code == .conflict)
        } else {
            #expect(try await houses.update(stale).address == House.Address(street: "new", zip: 4242))
        }
        #expect(try await table.base.row("a")?[ColumnPath(names: ["address", "zip"])] == 4242)
    }

    @Test("A row that is changed and changed back at the same moment is no conflict")
    func rowThatIsAsItWas() async throws {
        let (table, houses) = try await open(json)
        let house = try await houses.row(at: 0)
        var changed = house
        changed.address?.street = "new"
        table.hold(.commit, .beforeAsking)
        async let stored = houses.update(changed, from: house)
        await table.waitForHeld()
        try await table.updateByOthers("a", #"{"note":"x"}"#)
        try await table.updateByOthers("a", #"{"note":"n"}"#)
        table.letAllGo()
        #expect(try await stored.address == House.Address(street: "new", zip: 1))
        #expect(table.count(of: .commit) == 2)
    }

    @Test("An object that changes at the same moment is a conflict that shows both")
    func objectThatChangesMeanwhile() async throws {
        let (table, houses) = try await open(json, isLive: false)
        let house = try await houses.row(at: 0)
        var changed = house
        changed.address?.street = "new"
        table.fail(.commit, with: RemoteDataError(.conflict, "The test was faster."))
        let new = changed
        let error = await #expect(throws: RemoteDataError.self) { try await houses.update(new) }
        #expect(error?.code == .conflict)
        #expect(error?.conflict?.mine?[ColumnPath(names: ["address", "street"])] == "new")
        #expect(error?.conflict?.theirs?[ColumnPath(names: ["address", "street"])] == "x")
        guard case .update(_, _, let condition)? = table.mutations.first else {
            Issue.record("Nothing was sent.")
            return
        }
        #expect(condition == (try await table.base.row("a")?.revision))
    }

    @Test("A part of an object is not sent without the revision of its row")
    func rowWithoutItsRevision() async throws {
        let memory = MemoryTable("houses")
        _ = try await memory.commit(.create([draft(json)]))
        var capabilities = memory.capabilities
        capabilities.revisions = false
        let table = FaultyTable(LimitedTable(memory, to: capabilities), capabilities: memory.capabilities)
        let options = CollectionOptions().with(isLive: false)
        let houses = try await RemoteDataCollection<House>(table: table, options: options)
        var house = try await houses.row(at: 0)
        house.address?.street = "new"
        let changed = house
        let error = await #expect(throws: RemoteDataError.self) { try await houses.update(changed) }
        #expect(error?.code == .invalidAnswer)
        #expect(table.mutations.isEmpty)
    }

    @Test("A member that is taken out of an object goes")
    func memberTakenOut() async throws {
        let (table, houses) = try await open(json)
        var house = try await houses.row(at: 0)
        house.rooms?["a"] = nil
        house.rooms?["c"] = 3
        house.address?.zip = nil
        let stored = try await houses.update(house)
        #expect(stored == house)
        #expect(try await table.base.row("a")?[ColumnPath(names: ["address", "hidden"])] == 7)
    }

    @Test("A number that the element does not hold exactly is not sent")
    func numberBeyondDouble() async throws {
        let (table, houses) = try await open(
            #"{"objectId":"a","price":12345678901234567890.25,"rooms":{"a":1}}"#
        )
        var house = try await houses.row(at: 0)
        house.rooms = [:]
        try await houses.update(house)
        #expect(table.mutations.map(\.patchText) == [#"{"rooms":{}}"#])
        #expect(try await table.base.row("a")?.text.contains("12345678901234567890.25") == true)
    }
}
