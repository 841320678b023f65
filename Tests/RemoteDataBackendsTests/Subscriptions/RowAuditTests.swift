import RemoteData
import Testing

@testable import RemoteDataBackends

@Suite struct RowAuditTests {
    /// One that has looked at all of these rows.
    private func audit(_ ids: String...) -> RowAudit {
        var audit = RowAudit()
        audit.begin()
        _ = audit.end(look(ids, isWhole: true))
        return audit
    }

    /// One that has counted rows, and knows some of them.
    private func audit(of count: Int, knowing ids: String...) -> RowAudit {
        var audit = RowAudit()
        audit.begin()
        _ = audit.end(RowAudit.Look(count: count))
        for id in ids { audit.noteRead(.text(id)) }
        return audit
    }

    private func look(_ ids: [String], isWhole: Bool = false) -> RowAudit.Look {
        RowAudit.Look(count: ids.count, sample: ids.map { (.text($0), 0) }, isWhole: isWhole)
    }

    private func agrees(_ audit: inout RowAudit, _ count: Int) -> Bool {
        audit.begin()
        return audit.end(RowAudit.Look(count: count))
    }

    @Test("A first look agrees with whatever it finds") func aFirstLookAgrees() {
        var audit = RowAudit()
        #expect(agrees(&audit, 7) == true)
        #expect(agrees(&audit, 7) == true)
    }

    @Test("A row that comes or goes without a change is found", arguments: [6, 8])
    func aRowWithoutAChangeIsFound(count: Int) {
        var audit = audit(of: 7)
        #expect(agrees(&audit, count) == false)
        #expect(agrees(&audit, count) == true)
    }

    @Test("Creations and removals explain a count") func creationsAndRemovalsExplainACount() {
        var audit = audit(of: 7)
        audit.note("a", isPresent: true, wasPresent: false)
        audit.note("b", isPresent: true, wasPresent: false)
        audit.note("c", isPresent: false, wasPresent: true)
        #expect(agrees(&audit, 8) == true)
        audit.note("a", isPresent: false, wasPresent: true)
        #expect(agrees(&audit, 7) == true)
        #expect(agrees(&audit, 8) == false)
    }

    @Test("An unknown row may or may not be new", arguments: [7, 8]) func anUnknownRowMayBeNew(count: Int) {
        var audit = audit(of: 7)
        audit.note("a", isPresent: true)
        #expect(agrees(&audit, count) == true)
        // From then on it is known.
        audit.note("a", isPresent: true)
        #expect(agrees(&audit, count + 1) == false)
    }

    @Test("An unknown row that is removed was there or not", arguments: [6, 7])
    func anUnknownRowIsRemoved(count: Int) {
        var audit = audit(of: 7)
        audit.note("a", isPresent: false)
        #expect(agrees(&audit, count) == true)
    }

    @Test("A row that was read is known, so that a change of it adds nothing") func aRowThatWasReadIsKnown() {
        var audit = audit(of: 7, knowing: "a", "b")
        audit.note("a", isPresent: true)
        #expect(agrees(&audit, 8) == false)
        var other = self.audit(of: 7, knowing: "a", "b")
        other.note("b", isPresent: false)
        #expect(agrees(&other, 7) == false)
    }

    @Test("Where all rows are known, an unknown one has come") func whereAllAreKnownAnUnknownOneHasCome() {
        var audit = audit("a", "b")
        audit.note("c", isPresent: true)
        #expect(agrees(&audit, 2) == false)
        var other = self.audit("a", "b")
        other.note("c", isPresent: true)
        #expect(agrees(&other, 3) == true)
    }

    @Test("A row in place of another is found by a look at all rows") func aRowInPlaceOfAnotherIsFound() {
        var audit = audit("a", "b")
        audit.begin()
        #expect(audit.end(look(["a", "c"], isWhole: true)) == false)
        audit.begin()
        #expect(audit.end(look(["a", "c"], isWhole: true)) == true)
    }

    @Test("A row with another version is found by a sample") func anotherVersionIsFound() {
        var audit = RowAudit()
        audit.begin()
        _ = audit.end(RowAudit.Look(count: 9, sample: [("a", 1), ("b", 1)]))
        audit.note("b", isPresent: true, version: 2)
        audit.begin()
        #expect(audit.end(RowAudit.Look(count: 9, sample: [("a", 1), ("b", 2)])) == true)
        audit.begin()
        #expect(audit.end(RowAudit.Look(count: 9, sample: [("a", 2), ("b", 2)])) == false)
    }

    @Test("A change during a look may be part of its answer or not", arguments: [7, 8])
    func aChangeDuringALookMayBePartOfIt(count: Int) {
        var audit = audit(of: 7)
        audit.begin()
        audit.note("a", isPresent: true, wasPresent: false)
        #expect(audit.end(RowAudit.Look(count: count)) == true)
        #expect(agrees(&audit, 8) == true)
        #expect(agrees(&audit, 7) == false)
    }

    @Test("What a change during a look hides is found by the next") func whatAChangeHidesIsFoundLater() {
        var audit = audit(of: 7, knowing: "a")
        audit.begin()
        audit.note("a", isPresent: false)
        // Another row has come without a change.
        #expect(audit.end(RowAudit.Look(count: 7)) == true)
        #expect(agrees(&audit, 7) == false)
    }

    @Test("A row that changes during a first look may be counted or not", arguments: [7, 8])
    func aChangeDuringAFirstLook(count: Int) {
        var audit = RowAudit()
        audit.begin()
        audit.note("a", isPresent: true, wasPresent: false)
        _ = audit.end(RowAudit.Look(count: 7))
        #expect(agrees(&audit, count) == true)
    }

    @Test("A row that is there before and after a first look is counted") func anUpdateDuringAFirstLook() {
        var audit = RowAudit()
        audit.begin()
        audit.note("a", isPresent: true, wasPresent: true)
        _ = audit.end(RowAudit.Look(count: 7))
        var other = audit
        #expect(agrees(&other, 7) == true)
        #expect(agrees(&audit, 8) == false)
    }

    @Test("A look at all rows leaves no doubt of changes during it") func aLookAtAllRowsLeavesNoDoubt() {
        var audit = RowAudit()
        audit.begin()
        audit.note("a", isPresent: true)
        audit.note("b", isPresent: true)
        audit.note("c", isPresent: false)
        _ = audit.end(look(["a", "c", "d"], isWhole: true))
        // There are "a", "b" and "d", so that any other number is one without a change.
        var other = audit
        #expect(agrees(&other, 3) == true)
        other = audit
        #expect(agrees(&other, 4) == false)
        #expect(compare(&audit, with: look(["a", "b", "d"], isWhole: true)) == true)
        #expect(compare(&audit, with: look(["a", "b", "d", "e"], isWhole: true)) == false)
    }

    @Test("A row that is looked up counts once it is found out", arguments: [true, false])
    func aRowThatIsLookedUp(isPresent: Bool) {
        var audit = audit("a", "b")
        audit.note("a", isPresent: nil)
        var undecided = audit
        #expect(agrees(&undecided, isPresent ? 2 : 1) == true)
        audit.note("a", isPresent: isPresent)
        #expect(agrees(&audit, isPresent ? 2 : 1) == true)
        #expect(agrees(&audit, isPresent ? 1 : 2) == false)
    }

    @Test("A row that is read during a look at all rows counts once", arguments: [true, false])
    func aRowReadDuringALook(isPresent: Bool) {
        var audit = audit("a", "b")
        audit.begin()
        audit.note("a", isPresent: nil)
        #expect(audit.end(look(["a", "b"], isWhole: true)) == true)
        audit.note("a", isPresent: isPresent)
        var other = audit
        #expect(agrees(&other, isPresent ? 2 : 1) == true)
        #expect(agrees(&audit, isPresent ? 3 : 2) == false)
    }

    @Test("No more rows are remembered than a limit") func whatIsRememberedIsBounded() {
        var audit = audit(of: RowAudit.limit + 10)
        for number in 0..<RowAudit.limit + 10 { audit.noteRead(.text("r\(number)")) }
        // The last ones are not known.
        audit.note(.text("r\(RowAudit.limit + 5)"), isPresent: false)
        #expect(agrees(&audit, RowAudit.limit + 10) == true)
        audit.note("r1", isPresent: false)
        #expect(agrees(&audit, RowAudit.limit + 10) == false)
    }

    private func firstRows(_ ids: String..., of count: Int) -> RowAudit.Look {
        RowAudit.Look(count: count, sample: ids.map { (.text($0), 0) }, isFirst: true)
    }

    private func compare(_ audit: inout RowAudit, with look: RowAudit.Look) -> Bool {
        audit.begin()
        return audit.end(look)
    }

    @Test("As many rows that come as go are found among the first rows")
    func anExchangeIsFoundAmongTheFirstRows() {
        var audit = RowAudit()
        _ = compare(&audit, with: firstRows("a", "b", "d", of: 9))
        #expect(compare(&audit, with: firstRows("a", "b", "d", of: 9)) == true)
        #expect(compare(&audit, with: firstRows("a", "c", "d", of: 9)) == false)
        #expect(compare(&audit, with: firstRows("a", "c", "d", of: 9)) == true)
        #expect(compare(&audit, with: firstRows("x", "y", "z", of: 9)) == false)
    }

    @Test("Reported changes explain other first rows") func changesExplainOtherFirstRows() {
        var audit = RowAudit()
        _ = compare(&audit, with: firstRows("b", "d", "e", of: 9))
        audit.note("b", isPresent: false, wasPresent: true)
        audit.note("c", isPresent: true, wasPresent: false)
        #expect(compare(&audit, with: firstRows("c", "d", "e", of: 9)) == true)
        audit.note("a", isPresent: true, wasPresent: false)
        // The row "e" is not among the first any more.
        #expect(compare(&audit, with: firstRows("a", "c", "d", of: 10)) == true)
        audit.note("a", isPresent: false, wasPresent: true)
        #expect(compare(&audit, with: firstRows("c", "d", "e", of: 9)) == true)
        audit.begin()
        audit.note("f", isPresent: true)
        audit.note("d", isPresent: nil)
        #expect(audit.end(firstRows("c", "e", "f", of: 9)) == true)
    }

    @Test("First rows agree after a row behind them is removed") func laterRowsMoveUp() {
        var audit = RowAudit()
        _ = compare(&audit, with: firstRows("a", "b", "d", of: 9))
        audit.note("b", isPresent: false, wasPresent: true)
        // The row "h" was never read, and is one of those that were counted.
        #expect(compare(&audit, with: firstRows("a", "d", "h", of: 8)) == true)
    }
}
