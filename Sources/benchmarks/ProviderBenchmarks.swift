import Foundation
import RemoteData
import Synchronization

/// A list that a provider holds, of which one row changes.
struct ProviderBenchmarks {
    let rounds: Int

    func run(_ report: inout Report) throws {
        for count in [1_000, 10_000, 100_000] { try changes(of: count, &report) }
        for count in [1_000, 10_000, 100_000] { try rows(of: count, &report) }
        try setting(10_000, &report)
    }

    /// One row of a collection changed, until its handler has been called.
    private func rows(of count: Int, _ report: inout Report) throws {
        var options = CollectionOptions()
        let space = ModelSpace()
        options.space = space
        options.pageSize = 1_000
        let table = MemoryTable("messages", idColumn: "id")
        let messages = try RemoteDataCollection<Message>(table: table, options: options)
        for start in stride(from: 0, to: count, by: 1_000) {
            try messages.add(contentsOf: (start..<start + 1_000).map { Message($0) })
        }
        for _ in messages {}
        let told = TellingCount()
        messages.dataChangedHandler = { type in if type == .updated { told.note() } }
        var round = 0
        func next() -> Message {
            round += 1
            var message = Message(round * 7_919 % count)
            message.text = "text \(round)"
            message.author.name = "name \(round)"
            return message
        }
        func updateEach(_ update: () -> Void) {
            for _ in 0..<100 {
                told.expect(1)
                update()
                told.wait()
            }
        }
        var contest = Contest()
        contest.add("told to the space, until the collection has told it, each of 100") {
            updateEach { space.update(next()) }
            return ""
        }
        contest.add("what a row is made of told to the space, each of 100") {
            updateEach { space.update(next().author) }
            return ""
        }
        contest.add("told to the space, each of 1000 in a row") {
            told.expect(1_000)
            for _ in 0..<1_000 { space.update(next()) }
            told.wait()
            return ""
        }
        var measurements = try contest.run(rounds: max(11, rounds))
        for (index, count) in [100, 100, 1_000].enumerated() {
            measurements[index].seconds = measurements[index].seconds.map { $0 / Double(count) }
        }
        report.add("a row of a collection of \(count) (target: 50 µs)", measurements)
        messages.dataChangedHandler = nil
        try waitFor { await space.settled() }
    }

    /// One row changed, until the provider's handler has been called.
    private func changes(of count: Int, _ report: inout Report) throws {
        let space = ModelSpace()
        let provider = CollectionDataProvider<Contact>(space)
        let told = TellingCount()
        provider.onChange { _, _ in told.note() }
        provider.set((0..<count).map { Contact($0) }, cacheKey: nil)
        try waitFor { await space.settled() }
        var round = 0
        func next() -> Contact {
            round += 1
            var contact = Contact(round * 7_919 % count)
            contact.name = "name \(round)"
            return contact
        }
        var contest = Contest()
        contest.add("told to the space, until the provider has told it, each of 100") {
            for _ in 0..<100 {
                told.expect(1)
                space.update(next())
                told.wait()
            }
            return ""
        }
        contest.add("told to the space, each of 1000 in a row") {
            told.expect(1_000)
            for _ in 0..<1_000 { space.update(next()) }
            told.wait()
            return ""
        }
        contest.add("changed by the provider itself, until it returns, each of 100") {
            for _ in 0..<100 {
                let contact = next()
                provider.update(contact, at: round * 7_919 % count)
            }
            return ""
        }
        var measurements = try contest.run(rounds: max(11, rounds))
        for (index, count) in [100, 1_000, 100].enumerated() {
            measurements[index].seconds = measurements[index].seconds.map { $0 / Double(count) }
        }
        report.add("a row of a provider of \(count) (target: 50 µs)", measurements)
        try waitFor { await space.settled() }
    }

    /// What setting a list costs whoever does it.
    private func setting(_ count: Int, _ report: inout Report) throws {
        let space = ModelSpace(cache: MemoryModelCache())
        let provider = CollectionDataProvider<Contact>(space)
        let contacts = (0..<count).map { Contact($0) }
        var array: [Contact] = []
        var contest = Contest()
        contest.add("an array is copied") {
            array = contacts.map(\.self)
            return ""
        }
        contest.add("CollectionDataProvider.set, until it returns (target: 1 ms)") {
            provider.set(contacts, cacheKey: "contacts")
            return ""
        }
        report.add("a list of \(count) is set", try contest.run(rounds: rounds))
        try waitFor { await space.settled() }
        withExtendedLifetime(array) {}
    }
}

/// A row with an author of its own.
private struct Message: ConsistentModel, Codable, Identifiable, Equatable {
    var id: Int
    var text: String
    var author: Contact
    var modelID: ModelID? { ModelID(id, of: "message") }
    static let children: [ModelChild<Message>] = [.one(\.author)]

    init(_ number: Int) {
        id = number
        text = "text"
        author = Contact(number)
    }
}

private struct Contact: ConsistentModel, Codable, Equatable {
    var id: Int
    var name: String
    var isOnline = false
    var modelID: ModelID? { ModelID(id, of: "contact") }

    init(_ number: Int) {
        id = number
        name = "contact"
    }
}
