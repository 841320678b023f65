import Foundation
import RemoteData

/// Two screens that have persons in common, and know nothing of each other.
final class Messenger: Sendable {
    private let space: ModelSpace
    private let contacts: CollectionDataProvider<Person>
    private let messages: CollectionDataProvider<Message>

    /// Shows the screens whenever something has changed elsewhere.
    init(_ space: ModelSpace) {
        self.space = space
        contacts = CollectionDataProvider(space)
        messages = CollectionDataProvider(space)
        contacts.onChange { [weak self] change, _ in self?.drawContacts(because: change) }
        messages.onChange { [weak self] change, _ in self?.drawMessages(because: change) }
    }

    /// Shows what was there the last time, and otherwise begins anew.
    func begin() async throws(RemoteDataError) {
        let known = try await contacts.fetchFromCache("contacts")
        try await messages.fetchFromCache("messages")
        if known == nil {
            contacts.set(Self.persons, cacheKey: "contacts")
            messages.set(Self.messages, cacheKey: "messages")
        }
        drawContacts()
        drawMessages()
    }

    /// Waits until the screens show everything, and the cache has it.
    func settled() async { await space.settled() }

    // MARK: What is done

    /// Does what a line says.
    ///
    /// - Returns: Whether there is more to do.
    func run(_ line: String) async -> Bool {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words.first, words.count) {
        case ("online", 2): change(words[1]) { $0.isOnline = true }
        case ("offline", 2): change(words[1]) { $0.isOnline = false }
        case ("rename", 3): change(words[1]) { $0.name = words[2] }
        case ("say", 3): say(words[2], by: words[1])
        case ("forget", 2): forget(words[1])
        case ("quit", 1): return false
        case (nil, _): break
        default: Self.show("I know: \(Self.usage)")
        }
        await settled()
        return true
    }

    static let usage = "online ID | offline ID | rename ID NAME | say ID TEXT | forget ID | quit"

    /// A person is not as before: neither of the screens is told, but the space.
    private func change(_ id: String, _ change: (inout Person) -> Void) {
        guard var person = person(id) else { return }
        change(&person)
        space.update(person)
    }

    /// The screen of messages changes its own list, and so shows it itself.
    private func say(_ text: String, by id: String) {
        guard let author = person(id) else { return }
        messages.append([Message(id: UUID().uuidString, text: text, author: author)])
        drawMessages()
    }

    /// A person is no more, nor what they have written: a message cannot be without its author.
    private func forget(_ id: String) {
        guard let person = person(id) else { return }
        space.delete(person)
    }

    private func person(_ id: String) -> Person? {
        let person = contacts.data.first { $0.id == id }
        if person == nil { Self.show("There is no \(id).") }
        return person
    }

    // MARK: The screens

    private func drawContacts(because change: ListChange? = nil) {
        Self.show("\n== Contacts ==\(Self.reason(change))")
        for person in contacts.data { Self.show("  \(Self.dot(person)) \(person.name) (\(person.id))") }
    }

    private func drawMessages(because change: ListChange? = nil) {
        Self.show("\n== Messages ==\(Self.reason(change))")
        for message in messages.data {
            Self.show("  \(Self.dot(message.author)) \(message.author.name): \(message.text)")
        }
    }

    private static func dot(_ person: Person) -> String { person.isOnline ? "●" : "○" }

    private static func reason(_ change: ListChange?) -> String { change.map { "  (\($0))" } ?? "" }

    /// Writes a line at once, also to a program.
    static func show(_ line: String) {
        try? FileHandle.standardOutput.write(contentsOf: Data((line + "\n").utf8))
    }

    // MARK: The first time

    private static let persons = [
        Person(id: "ada", name: "Ada"), Person(id: "bob", name: "Bob"),
        Person(id: "cy", name: "Cy", isOnline: true),
    ]

    private static let messages = [
        Message(id: "m1", text: "Shall we meet?", author: persons[0]),
        Message(id: "m2", text: "At six.", author: persons[1]),
        Message(id: "m3", text: "See you then!", author: persons[0]),
    ]
}
