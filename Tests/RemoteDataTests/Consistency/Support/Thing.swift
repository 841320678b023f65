import RemoteData

/// A model with every kind of children.
struct Thing: ConsistentModel, Equatable {
    var id: String?
    var value: Int
    var need: Card
    var maybe: Card?
    var parts: [Thing] = []
    var cards: [Card] = []
    var modelID: ModelID? { id.map { ModelID($0) } }
    static let children: [ModelChild<Thing>] = [
        .one(\.need), .one(\.maybe), .many(\.parts), .many(\.cards),
    ]

    func merged(with newer: any ConsistentModel) -> Thing {
        var copy = self
        if let card = newer as? Card { copy.value = card.value }
        return copy
    }
}

/// A model without children, or what is known of a ``Thing`` elsewhere.
struct Card: ConsistentModel, Equatable {
    var id: String?
    var value: Int
    var note = ""
    var modelID: ModelID? { id.map { ModelID($0) } }

    func merged(with newer: any ConsistentModel) -> Card {
        var copy = self
        if let thing = newer as? Thing { copy.value = thing.value }
        return copy
    }
}

/// A model that says itself what it is made of; it is nothing without members.
struct Group: ConsistentModel, Equatable {
    var id: String?
    var members: [Thing]
    var modelID: ModelID? { id.map { ModelID($0) } }

    func forEach(_ visit: (any ConsistentModel) -> Void) { for member in members { visit(member) } }

    func map(_ transform: (any ConsistentModel) -> (any ConsistentModel)?) -> Group? {
        let members = members.compactMap { transform($0) as? Thing }
        return members.isEmpty ? nil : Group(id: id, members: members)
    }
}

/// Generates models of which those with one id are the same.
struct ThingPool {
    var random: SeededGenerator
    /// The models that were made last, by their ids.
    private var cards: [String: Card] = [:]
    private var things: [String: Thing] = [:]

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    /// A card, mostly one that there is already.
    mutating func card(isNew: Bool = false) -> Card {
        // Now and then it tells of a thing.
        let id =
            random.chance(12)
            ? "t\(random.number(0..<3)).\(random.number(0..<4))" : "c\(random.number(0..<9))"
        if random.chance(7) { return Card(id: nil, value: random.number(0..<3)) }
        if !isNew, let known = cards[id] { return known }
        let card = Card(id: id, value: random.number(0..<4), note: random.pick(["", "a", "b"]))
        cards[id] = card
        return card
    }

    /// A thing with parts down to a depth, mostly with ids that only things of this depth have.
    mutating func thing(_ depth: Int, isNew: Bool = false) -> Thing {
        let id = "t\(random.chance(40) ? 0 : depth).\(random.number(0..<6))"
        if !isNew, random.chance(2), let known = things[id] { return known }
        var thing = Thing(id: random.chance(6) ? nil : id, value: random.number(0..<4), need: card())
        if random.chance(2) { thing.maybe = card() }
        if depth > 0 { thing.parts = (0..<random.number(0..<4)).map { _ in self.thing(depth - 1) } }
        if random.chance(3) { thing.cards = (0..<random.number(1..<4)).map { _ in card() } }
        if thing.id != nil { things[id] = thing }
        return thing
    }

    mutating func group() -> Group {
        let members = (0..<random.number(1..<4)).map { _ in thing(random.number(0..<3)) }
        return Group(id: random.chance(5) ? nil : "g\(random.number(0..<3))", members: members)
    }

    /// A model, which has one version of each model that it is made of.
    mutating func model() -> any ConsistentModel {
        switch random.number(0..<6) {
        case 0:
            let group = group()
            return Group(id: group.id, members: group.members.map { latest($0) })
        case 1: return card(isNew: random.chance(2))
        default:
            let thing = thing(random.number(0..<4), isNew: random.chance(2))
            return latest(thing)
        }
    }

    private func latest(_ thing: Thing, _ above: Set<String> = []) -> Thing {
        if let id = thing.id, above.contains(id) { return thing }
        var latest = thing.id.flatMap { things[$0] } ?? thing
        latest.need = latest.need.id.flatMap { cards[$0] } ?? latest.need
        latest.maybe = latest.maybe.map { card in card.id.flatMap { cards[$0] } ?? card }
        latest.cards = latest.cards.map { card in card.id.flatMap { cards[$0] } ?? card }
        latest.parts = latest.parts.map { self.latest($0, thing.id.map { above.union([$0]) } ?? above) }
        return latest
    }

    /// An id, of something that there may be.
    mutating func id() -> ModelID {
        switch random.number(0..<8) {
        case 0: ModelID("g\(random.number(0..<3))")
        case 1, 2: ModelID("c\(random.number(0..<9))")
        default: ModelID("t\(random.number(0..<4)).\(random.number(0..<6))")
        }
    }
}
