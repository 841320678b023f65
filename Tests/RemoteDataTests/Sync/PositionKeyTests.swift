import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite struct PositionKeyTests {
    @Test func keysComeBetweenTheirNeighbours() {
        var generator = SeededGenerator(seed: 1)
        for seed in 0..<200 {
            var keys: [PositionKey] = []
            var choices = SeededGenerator(seed: UInt64(seed))
            for _ in 0..<100 {
                let index = choices.number(0..<(keys.count + 1))
                let low = index > 0 ? keys[index - 1] : nil
                let high = index < keys.count ? keys[index] : nil
                let key = PositionKey.between(low, high, using: &generator)
                #expect(low.map { $0 < key } ?? true)
                #expect(high.map { key < $0 } ?? true)
                #expect(PositionKey(rawValue: key.rawValue) == key)
                keys.insert(key, at: index)
            }
        }
    }

    /// The hardest places: always in front of everything, always behind, always in the same gap.
    @Test(arguments: ["front", "back", "gap", "halves"]) func keysStayShort(place: String) {
        var (low, high): (PositionKey?, PositionKey?) = (nil, nil)
        if place == "gap" || place == "halves" {
            low = .between(nil, nil)
            high = .between(low, nil)
        }
        var longest = 0
        for number in 0..<2_000 {
            let key = PositionKey.between(low, high)
            #expect(low.map { $0 < key } ?? true)
            #expect(high.map { key < $0 } ?? true)
            longest = max(longest, key.rawValue.utf8.count)
            switch place {
            case "front": high = key
            case "back": low = key
            case "gap": high = key
            default: if number.isMultiple(of: 2) { low = key } else { high = key }
            }
        }
        // At an end they grow like a number, in a gap by a digit for each time it can be halved six times, and the tail.
        #expect(longest <= (place == "front" || place == "back" ? 8 : 2_000 / 2))
    }

    @Test func manyAreSpreadEvenly() {
        let ends = PositionKey.between(nil, nil, count: 2)
        let keys = PositionKey.between(ends[0], ends[1], count: 1_000)
        #expect(keys == keys.sorted() && Set(keys).count == 1_000)
        #expect(keys.allSatisfy { ends[0] < $0 && $0 < ends[1] && $0.rawValue.utf8.count <= 30 })
        #expect(PositionKey.between(nil, nil, count: 0).isEmpty)
    }

    /// Two devices put something in the same place.
    @Test func twoKeysForOnePlaceDiffer() {
        for (low, high) in [("a0V5", "a1V5"), ("a01", "a101"), ("a0zzzzz", "a1"), ("Zzzz", "a001")] {
            let ends = (PositionKey(rawValue: low), PositionKey(rawValue: high))
            let keys = Set((0..<20).map { _ in PositionKey.between(ends.0, ends.1) })
            // Of 3,782 tails, some may be drawn twice.
            #expect(keys.count > 15)
        }
    }

    @Test func neighboursInTheWrongOrderAreTakenForNone() {
        let ends = PositionKey.between(nil, nil, count: 2)
        #expect(PositionKey.between(ends[1], ends[0]) > ends[1])
        #expect(PositionKey.between(ends[0], ends[0]) > ends[0])
    }

    @Test(arguments: ["", "a", "b1", "a0 ", "a00", "-1", "A" + String(repeating: "0", count: 26), "ä0"])
    func otherTextIsNoKey(text: String) { #expect(PositionKey(rawValue: text) == nil) }

    @Test func behindTheLastIntegerThereIsRoom() throws {
        let last = try #require(PositionKey(rawValue: "z" + String(repeating: "z", count: 26)))
        var key = last
        for _ in 0..<50 {
            let next = PositionKey.between(key, nil)
            #expect(next > key)
            key = next
        }
        var first = try #require(PositionKey(rawValue: "A" + String(repeating: "0", count: 25) + "1"))
        for _ in 0..<50 {
            let next = PositionKey.between(nil, first)
            #expect(next < first)
            first = next
        }
    }
}
