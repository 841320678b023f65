import Foundation
import RemoteData

/// An element with a property of every kind, some under other names.
struct Citizen: Codable, Sendable {
    enum Status: String, Codable, CaseIterable, Sendable { case open, closed, halfOpen = "half open" }
    enum Level: Int, Codable, Sendable { case low = 1, high = 7 }

    struct Address: Codable, Hashable, Sendable {
        struct Place: Codable, Hashable, Sendable {
            var latitude: Double
            var label: String?
        }

        var city: String
        var zip: Int?
        var place: Place?

        enum CodingKeys: String, CodingKey { case city = "town", zip, place = "geo point" }
    }

    var id: String
    var name: String
    var age: Int
    var small: Int8
    var big: UInt64
    var nickname: String?
    var score: Double?
    var rating: Float
    var price: Decimal
    var isActive: Bool
    var isVerified: Bool?
    var born: Date
    var seen: Date?
    var status: Status
    var level: Level?
    var token: UUID
    var site: URL?
    var tags: [String]
    var address: Address
    var work: Address?
    var limit: Int?

    /// Another name for a property that is encoded.
    var title: String { name }
    /// Nothing that is encoded.
    var initial: String { String(name.prefix(1)) }

    enum CodingKeys: String, CodingKey {
        case id = "objectId"
        case name = "full_name"
        case age, small, big, nickname, score, rating, price, born, seen, status, level, token, site, tags,
            address
        case isActive = "active"
        case isVerified = "verified?"
        // Two properties under each other's name.
        case work = "limit"
        case limit = "work"
    }
}

extension Citizen {
    static let texts = ["", "a", "ab", "Ab", "b%", "a_b", "100%", "é", "x'y", "\\", "東京"]
    static let tokens = (0..<4).compactMap { UUID(uuidString: "00000000-0000-4000-8000-00000000000\($0)") }
    static let sites = (0..<3).compactMap { URL(string: "https://example.com/\($0)") }
    static let dates = (0..<4).map { Date(timeIntervalSince1970: 1_700_000_000 + Double($0) * 1.5) }

    init(_ random: inout SeededGenerator) {
        id = "p\(random.number(0..<100))"
        name = random.pick(Self.texts)
        age = random.number(-2..<8)
        small = Int8(random.number(-2..<3))
        big = UInt64(random.number(0..<5))
        nickname = random.chance(3) ? nil : random.pick(Self.texts)
        score = random.chance(3) ? nil : Double(random.number(-4..<12)) / 4
        rating = random.pick([0.1, 0.2, 0.3, 1, 16_777_216])
        price = random.pick([0, 1, Decimal(string: "0.1") ?? 0, Decimal(string: "19.99") ?? 0])
        isActive = random.chance(2)
        isVerified = random.pick([nil, true, false])
        born = random.pick(Self.dates)
        seen = random.chance(3) ? nil : random.pick(Self.dates)
        status = random.pick(Status.allCases)
        level = random.pick([nil, .low, .high])
        token = random.pick(Self.tokens)
        site = random.pick(Self.sites + [nil])
        tags = (0..<random.number(0..<3)).map { _ in random.pick(Self.texts) }
        address = Address(&random)
        work = random.chance(2) ? nil : Address(&random)
        limit = random.chance(2) ? nil : random.number(0..<5)
    }

    /// The person as a table's row.
    func row(_ dates: DateConvention) throws -> Row {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = dates.encoding
        return try Row.parse(Array(encoder.encode(self))[...], idColumn: "objectId")
    }
}

extension Citizen.Address {
    init(_ random: inout SeededGenerator) {
        city = random.pick(Citizen.texts)
        zip = random.chance(3) ? nil : random.number(0..<4)
        place =
            random.chance(2)
            ? nil : Place(latitude: 1.5, label: random.chance(2) ? nil : random.pick(Citizen.texts))
    }
}
