import RemoteDataExecution
import Testing

@Suite struct LineTests {
    @Test(arguments: [1, 63, 64, 65, 1_000, 5_000]) func givesBackInOrder(count: Int) {
        var line = Line<Int>()
        for number in 0..<count { line.append(number) }
        #expect(line.count == count)
        #expect((0..<count).allSatisfy { line.next() == $0 })
        #expect(line.isEmpty)
        #expect(line.next() == nil)
    }

    @Test func takesMoreWhileItGivesBack() {
        var line = Line<Int>()
        var expected = 0
        for number in 0..<10_000 {
            line.append(number)
            // Two of three are taken at once, so that ever more wait.
            guard number % 3 != 0 else { continue }
            #expect(line.next() == expected)
            expected += 1
        }
        #expect(line.count == 10_000 - expected)
        while let next = line.next() {
            #expect(next == expected)
            expected += 1
        }
        #expect(expected == 10_000)
    }

    @Test func keepsNothingThatHadItsTurn() {
        final class Item: Sendable {}
        var line = Line<Item>()
        weak var first: Item?
        do {
            let item = Item()
            first = item
            line.append(item)
            line.append(Item())
        }
        #expect(first != nil)
        _ = line.next()
        #expect(first == nil)
        #expect(line.count == 1)
    }
}
