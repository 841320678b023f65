import RemoteData

extension Thing {
    /// A thing with a card of its own that has no id.
    init(
        _ id: String?,
        _ value: Int = 0,
        need: Card = Card(id: nil, value: 0),
        maybe: Card? = nil,
        _ parts: [Thing] = [],
        cards: [Card] = []
    ) { self.init(id: id, value: value, need: need, maybe: maybe, parts: parts, cards: cards) }
}

extension Card {
    init(_ id: String?, _ value: Int = 0) { self.init(id: id, value: value) }
}
