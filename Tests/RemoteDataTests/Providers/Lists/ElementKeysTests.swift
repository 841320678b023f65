import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite struct ElementKeysTests {
    @Test func noKeysAreNowhere() {
        let keys = ElementKeys()
        #expect(keys.count == 0)
        #expect(keys.all.isEmpty)
        #expect(keys.index(of: 0) == nil)
        #expect(!keys.contains(0))
    }

    @Test(arguments: [0..<1, 5..<300, 1_000..<1_256, 7..<2_000])
    func keysCountOnFromTheFirst(range: Range<Int>) {
        let keys = ElementKeys(range)
        #expect(keys.count == range.count)
        #expect(keys.all == Array(range))
        #expect(keys[range.count - 1] == range.upperBound - 1)
        #expect(keys.index(of: range.upperBound - 1) == range.count - 1)
        #expect(keys.index(of: range.lowerBound - 1) == nil)
        #expect(keys.index(of: range.upperBound) == nil)
    }

    @Test func keysStayTheSameWhileElementsMove() {
        var keys = ElementKeys(0..<600)
        keys.insert(600..<602, at: 0)
        #expect(keys.index(of: 0) == 2)
        #expect(keys.index(of: 601) == 1)
        keys.remove(at: 2)
        #expect(!keys.contains(0))
        #expect(keys.index(of: 0) == nil)
        #expect(keys.index(of: 599) == 600)
    }

    @Test func aListThatWasEmptiedTakesNewKeys() {
        var keys = ElementKeys(0..<2)
        keys.remove(at: 1)
        keys.remove(at: 0)
        #expect(keys.count == 0)
        keys.insert(2..<5, at: 0)
        #expect(keys.all == [2, 3, 4])
        #expect(keys.index(of: 0) == nil)
        #expect(keys.index(of: 3) == 1)
    }

    @Test func anyOperationsAreThoseOfAnArray() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 150)) {
            Operations.fault(seed: UInt64($0))
        }
        #expect(faults.isEmpty, "\(faults)")
    }
}

/// Operations on keys and on an array.
private enum Operations {
    static func fault(seed: UInt64) -> String? {
        var random = SeededGenerator(seed: seed)
        var next = random.pick([0, 10, 5_000])
        let first = next..<next + random.pick([0, 1, 255, 256, 257, 900])
        next = first.upperBound
        var (keys, array, gone) = (ElementKeys(first), Array(first), [Int]())
        for step in 0..<random.number(1..<40) {
            let (copy, before) = (keys, array)
            if random.chance(2), !array.isEmpty {
                let start = random.number(0..<array.count)
                for _ in 0..<min(random.pick([1, 1, 30, 400]), array.count - start) {
                    gone.append(array.remove(at: start))
                    keys.remove(at: start)
                }
            } else {
                let new = next..<next + random.pick([0, 1, 1, 4, 300, 700])
                next = new.upperBound
                let index = random.pick([0, array.count, random.number(0..<array.count + 1)])
                keys.insert(new, at: index)
                array.insert(contentsOf: new, at: index)
            }
            guard keys.count == array.count, keys.all == array else { return "differs at \(step)" }
            if random.chance(10), copy.all != before { return "a copy changed at \(step)" }
            if let fault = lookUp(keys, array, gone, next, &random) { return "\(fault) at \(step)" }
        }
        return nil
    }

    private static func lookUp(
        _ keys: ElementKeys,
        _ array: [Int],
        _ gone: [Int],
        _ next: Int,
        _ random: inout SeededGenerator
    ) -> String? {
        for _ in 0..<5 {
            guard let index = array.indices.randomElement(using: &random) else { break }
            if keys[index] != array[index] { return "another key" }
            if keys.index(of: array[index]) != index { return "another place" }
        }
        if let key = gone.randomElement(using: &random), keys.contains(key) || keys.index(of: key) != nil {
            return "a key that is gone"
        }
        return keys.contains(next) || keys.contains(-1) ? "a key that never was" : nil
    }
}
