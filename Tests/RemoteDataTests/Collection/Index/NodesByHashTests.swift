import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite struct NodesByHashTests {
    private static let sequences = Campaign.size(quick: 300)

    /// Of few hashes, so that many rows share one, and many more the place where they are looked for first.
    @Test func itHoldsWhatAListHolds() {
        for seed in 0..<Self.sequences {
            var random = SeededGenerator(seed: UInt64(seed))
            let hashes = (0..<random.number(1..<40)).map { _ in
                UInt64(random.number(0..<4)) << 60 | UInt64(random.number(0..<24)) << 32
            }
            var (table, list) = (NodesByHash(), [(hash: UInt64, node: Int)]())
            for _ in 0..<random.number(1..<200) {
                let (hash, node) = (random.pick(hashes), random.number(0..<5))
                if random.chance(2) {
                    table.insert(hash, node)
                    list.append((hash, node))
                } else if let place = list.firstIndex(where: { $0 == (hash, node) }) {
                    if random.chance(3) {
                        table.move(hash, from: node, to: 7)
                        list[place].node = 7
                    } else {
                        table.remove(hash, node)
                        list.remove(at: place)
                    }
                } else {
                    table.remove(hash, node)
                    table.move(hash, from: node, to: 7)
                }
            }
            #expect(table.count == list.count, "seed \(seed)")
            for hash in hashes {
                var found: [Int] = []
                _ = table.first(of: hash) { node in
                    found.append(node)
                    return false
                }
                let wanted = list.filter { $0.hash == hash }.map(\.node)
                #expect(found.sorted() == wanted.sorted(), "seed \(seed)")
            }
        }
    }

    @Test func theFirstThatIsMeantIsFound() {
        var table = NodesByHash()
        #expect(table.first(of: 5) { _ in true } == nil)
        for node in 0..<100 { table.insert(9 << 32, node) }
        #expect(table.first(of: 9 << 32) { $0 == 77 } == 77)
        #expect(table.first(of: 9 << 32) { $0 == 100 } == nil)
        #expect(table.first(of: 8 << 32) { _ in true } == nil)
    }
}
