import RemoteDataTesting
import Synchronization

@testable import RemoteData

/// A row that is made of models.
struct Letter: ConsistentModel, Codable, Identifiable, Equatable {
    var id: String
    var text: String
    var author: Neighbor
    var reader: Neighbor?
    var modelID: ModelID? { ModelID(id, of: "letter") }
    static let children: [ModelChild<Letter>] = [.one(\.author), .one(\.reader)]

    init(_ id: String, _ text: String, by author: Neighbor, to reader: Neighbor? = nil) {
        (self.id, self.text, self.author, self.reader) = (id, text, author, reader)
    }
}

/// A table of letters that neighbors have written, in the space of a town.
struct Post {
    let town: Town
    let table: FaultyTable

    init(_ town: Town, _ letters: [Letter] = Post.three) async throws {
        self.town = town
        let table = MemoryTable("post", idColumn: "id")
        self.table = FaultyTable(table)
        let codec = ElementCodec<Letter>(idColumn: "id", dates: .epochMilliseconds)
        _ = try await table.commit(.create(letters.map { try codec.encode($0) }))
    }

    /// Two by Ada, of which Bo reads one, and one by Bo.
    static var three: [Letter] {
        let (ada, bo) = (Neighbor("a", "Ada", 36), Neighbor("b", "Bo", 20))
        return [
            Letter("1", "Hello", by: ada, to: bo), Letter("2", "Hi", by: bo), Letter("3", "Hey", by: ada),
        ]
    }

    /// A collection of the space, of which all rows are here.
    func collection(where clause: String = "", sort: String = "", isLive: Bool = true) async throws
        -> RemoteDataCollection<Letter>
    {
        var options = CollectionOptions().with(isLive: isLive).with(delivery: .privateQueue)
        options.space = town.space
        let all = try await RemoteDataCollection<Letter>(
            table: table,
            where: clause,
            sort: sort,
            options: options
        )
        for try await _ in all.rows {}
        if isLive { try await eventually("it is live") { all.state.withLock { $0.core.isLive } } }
        return all
    }

    func update(_ id: String, _ patch: String) async throws {
        _ = try await table.base.commit(.update(.text(id), patch: Array(patch.utf8)[...]))
    }
}

extension RemoteDataCollection<Letter> {
    /// The letters with their authors and readers, as they are here.
    var shown: [String] {
        (0..<count).map { position in
            guard let letter = loadedRow(at: position) else { return "?" }
            return "\(letter.id) \(letter.author.name)\(letter.reader.map { ">\($0.name)" } ?? "")"
        }
    }

    /// Waits until its letters are these.
    func until(_ letters: [String]) async throws {
        try await eventually("\(letters) rather than \(shown)") { shown == letters }
    }
}
