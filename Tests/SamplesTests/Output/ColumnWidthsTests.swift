import Testing

@testable import live_table

struct ColumnWidthsTests {
    @Test func whatFitsKeepsItsWidth() {
        #expect(ColumnWidths.fit([3, 5, 8], into: 20, gap: 2) == [3, 5, 8])
    }

    @Test func theWidestColumnGivesWayFirst() {
        #expect(ColumnWidths.fit([3, 5, 30], into: 20, gap: 2) == [3, 5, 8])
        #expect(ColumnWidths.fit([30, 5, 30], into: 20, gap: 2) == [6, 5, 5])
    }

    @Test func noColumnVanishes() { #expect(ColumnWidths.fit([9, 9, 9], into: 3, gap: 2) == [4, 4, 4]) }

    @Test func noColumnsAreNoWidths() { #expect(ColumnWidths.fit([], into: 3, gap: 2).isEmpty) }
}
