import RemoteData

/// A row of either table.
struct Thing: Codable, Identifiable, Hashable, Sendable {
    var id: String
    /// The id of the row it belongs to, in `items`; empty in `lists`.
    var list: String
    var mark: Int
}

/// The tables.
enum Kind: String, Sendable, CaseIterable {
    case lists, items
}

/// Something that a client does, in words that can be printed and read.
enum Deed: Sendable {
    case add(Kind, Thing)
    case mark(Kind, id: String, Int)
    case remove(Kind, id: String)

    init?(_ words: [String]) {
        guard words.count >= 3, let kind = Kind(rawValue: words[1]) else { return nil }
        switch (words[0], words.count) {
        case ("add", 5):
            guard let mark = Int(words[4]) else { return nil }
            self = .add(kind, Thing(id: words[2], list: words[3] == "-" ? "" : words[3], mark: mark))
        case ("mark", 4):
            guard let mark = Int(words[3]) else { return nil }
            self = .mark(kind, id: words[2], mark)
        case ("remove", 3): self = .remove(kind, id: words[2])
        default: return nil
        }
    }

    var words: String {
        switch self {
        case .add(let kind, let thing):
            "add \(kind) \(thing.id) \(thing.list.isEmpty ? "-" : thing.list) \(thing.mark)"
        case .mark(let kind, let id, let mark): "mark \(kind) \(id) \(mark)"
        case .remove(let kind, let id): "remove \(kind) \(id)"
        }
    }
}

/// What there is, by what was done.
struct Model: Hashable {
    var lists: [String: Thing] = [:]
    var items: [String: Thing] = [:]

    subscript(kind: Kind) -> [String: Thing] {
        get { kind == .lists ? lists : items }
        set { if kind == .lists { lists = newValue } else { items = newValue } }
    }

    mutating func take(_ deed: Deed) {
        switch deed {
        case .add(let kind, let thing): self[kind][thing.id] = thing
        case .mark(let kind, let id, let mark): self[kind][id]?.mark = mark
        case .remove(let kind, let id):
            self[kind][id] = nil
            if kind == .lists { items = items.filter { $0.value.list != id } }
        }
    }

    mutating func merge(_ other: Model) {
        lists.merge(other.lists) { first, _ in first }
        items.merge(other.items) { first, _ in first }
    }

    /// How it differs from another one, in short.
    func difference(from other: Model) -> String {
        var lines: [String] = []
        for kind in Kind.allCases {
            for id in Set(self[kind].keys).union(other[kind].keys).sorted()
            where self[kind][id] != other[kind][id] {
                let (here, there) = (self[kind][id].map { "\($0)" }, other[kind][id].map { "\($0)" })
                lines.append("\(kind)/\(id): \(here ?? "none"), and not \(there ?? "none")")
            }
        }
        return lines.prefix(5).joined(separator: "\n")
    }
}
