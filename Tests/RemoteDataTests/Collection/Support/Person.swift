import Foundation
import RemoteData
import RemoteDataTesting

/// A row to test with.
struct Person: Codable, Identifiable, Hashable, Sendable {
    var id: String?
    var name: String
    var age: Int?
    var city: String?

    init(id: String? = nil, name: String, age: Int? = nil, city: String? = nil) {
        self.id = id
        self.name = name
        self.age = age
        self.city = city
    }

    /// The person `makePeople` makes with a number.
    init(number: Int) {
        self.init(id: Self.id(number), name: Self.id(number), age: number)
    }

    static func id(_ number: Int) -> String { String(format: "p%05d", number) }
}

/// Fills a table with people whose ids and names are p00000, p00001 and so on, aged 0, 1 and so on.
func makePeople(_ count: Int, in table: any Table) async throws {
    guard count > 0 else { return }
    for start in stride(from: 0, to: count, by: 1_000) {
        let drafts = try (start..<min(count, start + 1_000)).map { number in
            try draft(
                #"{"objectId":"\#(Person.id(number))","name":"\#(Person.id(number))","age":\#(number)}"#
            )
        }
        _ = try await table.commit(.create(drafts))
    }
}

/// A table of people in memory, and one around it that misbehaves on demand.
func makePeople(_ count: Int) async throws -> FaultyTable {
    let table = MemoryTable("people")
    try await makePeople(count, in: table)
    return FaultyTable(table)
}

func draft(_ json: String) throws -> Draft { try Draft(Array(json.utf8)[...], idColumn: "objectId") }

extension FaultyTable {
    /// Writes as somebody else does, past the failures.
    func putByOthers(_ json: String) async throws {
        _ = try await base.commit(.upsert([draft(json)]))
    }

    func removeByOthers(_ id: String) async throws { _ = try await base.commit(.delete(.text(id))) }

    func updateByOthers(_ id: String, _ patch: String) async throws {
        _ = try await base.commit(.update(.text(id), patch: Array(patch.utf8)[...]))
    }
}

extension CollectionOptions {
    static func pages(of size: Int, readAhead: Int = 1) -> CollectionOptions {
        var options = CollectionOptions()
        options.pageSize = size
        options.readAhead = readAhead
        return options
    }

    /// With another deadline, clock, or without changes.
    func with(
        deadline: Duration? = nil,
        clock: (any Clock<Duration>)? = nil,
        isLive: Bool? = nil
    ) -> CollectionOptions {
        var options = self
        options.deadline = deadline ?? options.deadline
        options.clock = clock ?? options.clock
        options.isLive = isLive ?? options.isLive
        return options
    }
}

/// Runs code with the faces that block, in the middle of code that could use the others.
func blocking<Value>(_ body: () throws -> Value) rethrows -> Value { try body() }
