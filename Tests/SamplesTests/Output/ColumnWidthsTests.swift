import Testing

@testable import live_table

struct ColumnWidthsTests {
    @Test func whatFitsKeepsItsWidth() {
        #expect(ColumnWidths.fit([3, 5, 8], into: 20, gap: 2) == [3, 5, 8])
    }

    @Test func theWidestColumnGivesWayFirst() {
        #expect(ColumnWidths.fit([3, 5, 30], into: 20, gap: 2) == [3, 5, 8])
        #expect(ColumnWidths.fit([30, 5, 30], into: 26, gap: 2) == [9, 5, 8])
    }

    @Test func noColumnVanishes() { #expect(ColumnWidths.fit([9, 9, 9], into: 3, gap: 2) == [8, 8, 8]) }

    @Test func noColumnsAreNoWidths() { #expect(ColumnWidths.fit([], into: 3, gap: 2).isEmpty) }

    @Test("As many columns fit as get eight places, or what they need")
    func count() {
        #expect(ColumnWidths.count([3, 5, 8], into: 20, gap: 2) == 3)
        #expect(ColumnWidths.count([3, 5, 9], into: 19, gap: 2) == 2)
        #expect(ColumnWidths.count([30, 30, 30], into: 18, gap: 2) == 2)
        #expect(ColumnWidths.count([30, 30], into: 1, gap: 2) == 1)
        #expect(ColumnWidths.count([], into: 20, gap: 2) == 0)
    }
}
