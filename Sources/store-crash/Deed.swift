import RemoteData
import RemoteDataTesting

/// One thing done to a store, which follows from the seed and its number alone.
enum Deed: Sendable {
    case pin(note: Int, author: Int, label: String)
    case unpin(note: Int, label: String)
    case unpinAll(label: String)
    case write(draft: Int)
    case delete(draft: Int)
    /// A collection reads the next version of a server's table through the cache.
    case cache

    init(seed: UInt64, number: Int) {
        var random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
        let label = ["a", "b", "c"][Int.random(in: 0..<3, using: &random)]
        let note = Int.random(in: 0..<12, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<7: self = .pin(note: note, author: Int.random(in: 0..<5, using: &random), label: label)
        case 7..<10: self = .unpin(note: note, label: label)
        case 10: self = .unpinAll(label: label)
        case 11..<15: self = .write(draft: note)
        case 15..<17: self = .delete(draft: note)
        default: self = .cache
        }
    }
}

/// What a store has to hold.
struct Model: Sendable {
    struct Note: Sendable, Equatable {
        var author: Int
        var number: Int
    }

    private(set) var roots: [String: Set<Int>] = [:]
    private(set) var notes: [Int: Note] = [:]
    /// The number of the deed that wrote each.
    private(set) var drafts: [Int: Int] = [:]
    /// How many versions of the server's table have been read.
    private(set) var version = 0

    mutating func apply(_ deed: Deed, number: Int) {
        switch deed {
        case .pin(let note, let author, let label):
            roots[label, default: []].insert(note)
            notes[note] = Note(author: author, number: number)
        case .unpin(let note, let label): roots[label]?.remove(note)
        case .unpinAll(let label): roots[label] = nil
        case .write(let draft): drafts[draft] = number
        case .delete(let draft): drafts[draft] = nil
        case .cache: version += 1
        }
        let held = roots.values.reduce(into: Set<Int>()) { $0.formUnion($1) }
        notes = notes.filter { held.contains($0.key) }
    }

    /// What a label holds: notes, and the people who wrote them.
    func held(_ label: String) -> [String] {
        let notes = roots[label] ?? []
        let people = Set(notes.compactMap { self.notes[$0]?.author })
        return notes.map { "note \($0)" }.sorted() + people.map { "person \($0)" }.sorted()
    }
}
