import RemoteData

/// A model that others are made of.
struct Singer: ConsistentModel, Codable, Equatable {
    var id: String?
    var name: String
    var modelID: ModelID? { id.map { ModelID($0, of: "singer") } }

    init(_ id: String?, _ name: String = "") { (self.id, self.name) = (id, name) }
}

/// A model that cannot be without one part, and may have another.
struct Song: ConsistentModel, Codable, Equatable {
    var id: String?
    var plays: Int
    var singer: Singer
    var guest: Singer?
    var modelID: ModelID? { id.map { ModelID($0, of: "song") } }
    static let children: [ModelChild<Song>] = [.one(\.singer), .one(\.guest)]

    init(_ id: String?, _ plays: Int = 0, by singer: Singer = Singer(nil), with guest: Singer? = nil) {
        (self.id, self.plays, self.singer, self.guest) = (id, plays, singer, guest)
    }

    func merged(with newer: any ConsistentModel) -> Song {
        var copy = self
        if let count = newer as? PlayCount { copy.plays = count.plays }
        return copy
    }
}

/// What is known of a ``Song`` elsewhere.
struct PlayCount: ConsistentModel, Codable, Equatable {
    var id: String?
    var plays: Int
    var modelID: ModelID? { id.map { ModelID($0, of: "song") } }

    init(_ id: String?, _ plays: Int) { (self.id, self.plays) = (id, plays) }

    func merged(with newer: any ConsistentModel) -> PlayCount {
        var copy = self
        if let song = newer as? Song { copy.plays = song.plays }
        return copy
    }
}

/// A model that may have no form in a cache.
struct Fragile: ConsistentModel, Codable, Equatable {
    struct IsBroken: Error {}

    var id: String?
    var isBroken = false
    var modelID: ModelID? { id.map { ModelID($0, of: "fragile") } }

    private enum CodingKeys: CodingKey { case id }

    init(_ id: String?, isBroken: Bool = false) { (self.id, self.isBroken) = (id, isBroken) }

    init(from decoder: any Decoder) throws {
        id = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .id)
    }

    func encode(to encoder: any Encoder) throws {
        if isBroken { throw IsBroken() }
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(id, forKey: .id)
    }
}

extension ModelID {
    static func song(_ id: String) -> ModelID { ModelID(id, of: "song") }
    static func singer(_ id: String) -> ModelID { ModelID(id, of: "singer") }
}
