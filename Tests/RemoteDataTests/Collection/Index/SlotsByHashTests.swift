import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite struct SlotsByHashTests {
    private typealias Location = SlotsByHash.Location

    private static let sequences = Campaign.size(quick: 300)
    /// The first and the last there can be are among them.
    private static let locations = [
        Location(node: 0, slot: 0), Location(node: 0, slot: 63), Location(node: 1, slot: 0),
        Location(node: SlotsByHash.nodeLimit - 1, slot: 0),
        Location(node: SlotsByHash.nodeLimit - 1, slot: 63),
    ]
    private static let other = Location(node: 7, slot: 5)

    /// Of few hashes, so that many rows share one, and many more the place where they are looked for first.
    @Test func itHoldsWhatAListHolds() {
        for seed in 0..<Self.sequences {
            var random = SeededGenerator(seed: UInt64(seed))
            let hashes = (0..<random.number(1..<40)).map { _ in
                UInt64(random.number(0..<4)) << 60 | UInt64(random.number(0..<24)) << 34
            }
            var (table, list) = (SlotsByHash(), [(hash: UInt64, location: Location)]())
            for _ in 0..<random.number(1..<200) {
                let (hash, location) = (random.pick(hashes), random.pick(Self.locations))
                if random.chance(2) {
                    table.insert(hash, location)
                    list.append((hash, location))
                } else if let place = list.firstIndex(where: { $0 == (hash, location) }) {
                    if random.chance(3) {
                        table.move(hash, from: location, to: Self.other)
                        list[place].location = Self.other
                    } else {
                        table.remove(hash, location)
                        list.remove(at: place)
                    }
                } else {
                    table.remove(hash, location)
                    table.move(hash, from: location, to: Self.other)
                }
            }
            #expect(table.count == list.count, "seed \(seed)")
            for hash in hashes {
                var found: [Location] = []
                _ = table.first(of: hash) { location in
                    found.append(location)
                    return false
                }
                let wanted = list.filter { $0.hash == hash }.map(\.location)
                #expect(sorted(found) == sorted(wanted), "seed \(seed)")
            }
        }
    }

    @Test func theFirstThatIsMeantIsFound() {
        var table = SlotsByHash()
        #expect(table.first(of: 5) { _ in true } == nil)
        for node in 0..<100 { table.insert(9 << 34, Location(node: node, slot: node % 64)) }
        #expect(table.first(of: 9 << 34) { $0.node == 77 } == Location(node: 77, slot: 13))
        #expect(table.first(of: 9 << 34) { $0.node == 100 } == nil)
        #expect(table.first(of: 8 << 34) { _ in true } == nil)
    }

    private func sorted(_ locations: [Location]) -> [Location] {
        locations.sorted { ($0.node, $0.slot) < ($1.node, $1.slot) }
    }
}
