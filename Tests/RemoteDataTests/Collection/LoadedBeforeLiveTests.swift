import RemoteDataTesting
import Testing

@testable import RemoteData

/// Rows that are loaded before the feed of changes has come alive.
@Suite(.timeLimit(.minutes(2))) struct LoadedBeforeLiveTests {
    /// A kind of table.
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var sort = ""
        var cacheLimit: Int?
        let change: @Sendable (inout Capabilities) -> Void
    }

    static let kinds: [Kind] = [
        Kind(testDescription: "everything") { _ in },
        Kind(testDescription: "without resuming") { $0.resume = false },
        Kind(testDescription: "without revisions") { ($0.resume, $0.revisions) = (false, false) },
        Kind(testDescription: "without revisions, by age", sort: "age desc") {
            ($0.resume, $0.revisions) = (false, false)
        },
        Kind(testDescription: "without revisions, limited", cacheLimit: 200) {
            ($0.resume, $0.revisions) = (false, false)
        },
        Kind(testDescription: "in an order of its own", sort: "name") {
            ($0.resume, $0.binaryOrder) = (false, false)
        },
        Kind(testDescription: "in an order of its own, without revisions", sort: "name desc") {
            ($0.resume, $0.revisions, $0.binaryOrder) = (false, false, false)
        },
        Kind(testDescription: "without knowing what rows were", sort: "age") {
            ($0.resume, $0.revisions, $0.everyChange, $0.reportsEntering) = (false, false, false, false)
        },
    ]

    @Test("Rows that were loaded before stay, and what was missed is found", arguments: kinds)
    func loadedRowsStay(kind: Kind) async throws {
        let base = MemoryTable("people")
        try await makePeople(50, in: base)
        var capabilities = Capabilities.full
        kind.change(&capabilities)
        let table = FaultyTable(LimitedTable(base, to: capabilities))
        table.hold(.subscribe, .beforeAsking)
        var options = CollectionOptions.pages(of: 20)
        options.cacheLimit = kind.cacheLimit
        let people = try await RemoteDataCollection<Person>(table: table, sort: kind.sort, options: options)
        try await people.populate()
        #expect(people.loadedCount == 50)
        await table.waitForHeld()
        try await table.updateByOthers("p00003", #"{"age":1000,"name":"p00048a"}"#)
        try await table.removeByOthers("p00030")
        let pages = table.count(of: .page)
        let loaded = Log<Int>()
        people.dataChangedHandler = { [weak people] _ in loaded.add(people?.loadedCount ?? 0) }
        table.letAllGo()
        try await eventually("it is live") { people.liveStatus.isLive && people.count == 49 }
        #expect(people.loadedCount == 49)
        #expect(loaded.all.allSatisfy { $0 >= 49 }, "\(loaded.all)")
        #expect(people.isLoaded)
        let others = try await RemoteDataCollection<Person>(table: base, sort: kind.sort)
        #expect(try await people.names() == others.names())
        // Comparing them takes the pages of the rows and those that are not where they were.
        #expect(table.count(of: .page) <= pages + 8)
    }

    @Test("Rows are read anew where no page shows what comes after another one")
    func offsetsAloneAreReadAnew() async throws {
        let base = MemoryTable("people")
        try await makePeople(50, in: base)
        var capabilities = Capabilities.full
        (capabilities.resume, capabilities.binaryOrder, capabilities.keysetPages) = (false, false, false)
        capabilities.pagesBeyondKeys = false
        let table = FaultyTable(LimitedTable(base, to: capabilities))
        table.hold(.subscribe, .beforeAsking)
        let people = try await RemoteDataCollection<Person>(table: table, options: .pages(of: 100))
        try await people.populate()
        await table.waitForHeld()
        try await table.removeByOthers("p00030")
        table.letAllGo()
        try await eventually("it is live") { people.liveStatus.isLive && people.count == 49 }
        #expect(try await people.names().count == 49)
    }

    @Test("Where many rows of an order of the table's own have changed, they are read anew")
    func manyChangesAreReadAnew() async throws {
        let base = MemoryTable("people")
        try await makePeople(200, in: base)
        var capabilities = Capabilities.full
        (capabilities.resume, capabilities.binaryOrder) = (false, false)
        let table = FaultyTable(LimitedTable(base, to: capabilities))
        table.hold(.subscribe, .beforeAsking)
        let people = try await RemoteDataCollection<Person>(
            table: table,
            sort: "name",
            options: .pages(of: 100)
        )
        try await people.populate()
        await table.waitForHeld()
        for number in stride(from: 0, to: 200, by: 2) {
            try await table.updateByOthers(Person.id(number), #"{"name":"p\#(number * 7919 % 1000)"}"#)
        }
        table.letAllGo()
        try await eventually("it is live") { people.liveStatus.isLive }
        let others = try await RemoteDataCollection<Person>(table: base, sort: "name")
        #expect(try await people.names() == others.names())
    }
}
