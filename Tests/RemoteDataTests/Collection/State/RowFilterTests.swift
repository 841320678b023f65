import RemoteDataTesting
import Testing

@testable import RemoteData

struct RowFilterTests {
    @Test(
        "Every row that was added is found, and few others, however many are added",
        arguments: [10, 300_000]
    )
    func rowsAreFound(count: Int) {
        var generator = SeededGenerator(seed: 7)
        var filter = RowFilter()
        let added = (0..<count).map { _ in generator.next() }
        for mark in added { filter.insert(mark) }
        #expect(added.allSatisfy(filter.contains))
        let others = (0..<20_000).count { _ in filter.contains(generator.next()) }
        #expect(others < 200)
    }

    @Test("A row that is added again takes no room") func aRowAddedAgainTakesNoRoom() {
        var generator = SeededGenerator(seed: 7)
        var filter = RowFilter()
        for _ in 0..<200_000 { filter.insert(42) }
        #expect((0..<20_000).count { _ in filter.contains(generator.next()) } == 0)
    }

    @Test("Sets that are joined find the rows of each, and few others", arguments: [10, 70_000])
    func setsAreJoined(count: Int) {
        var generator = SeededGenerator(seed: 7)
        var all = RowFilter()
        var added: [UInt64] = []
        for _ in 0..<4 {
            let marks = (0..<count).map { _ in generator.next() }
            var filter = RowFilter()
            for mark in marks { filter.insert(mark) }
            all.formUnion(filter)
            added += marks
        }
        #expect(added.allSatisfy(all.contains))
        let others = (0..<20_000).count { _ in all.contains(generator.next()) }
        #expect(others < 800)
    }
}
