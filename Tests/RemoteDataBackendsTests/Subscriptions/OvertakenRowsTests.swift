import RemoteData
import Testing

@testable import RemoteDataBackends

struct OvertakenRowsTests {
    private var rows = OvertakenRows()

    @Test mutating func aSecondChangeSoonAfterTheFirstIsInDoubt() {
        #expect(rows.note("a", of: "t", at: .zero) == .isInOrder)
        #expect(rows.note("b", of: "t", at: .seconds(1)) == .isInOrder)
        #expect(rows.note("a", of: "u", at: .seconds(1)) == .isInOrder)
        #expect(rows.next(of: "t") == nil)
        #expect(rows.note("a", of: "t", at: .seconds(9)) == .isInDoubt)
        #expect(rows.next(of: "u") == nil)
        #expect(rows.next(of: "t") == ["a"])
        #expect(rows.next(of: "t") == nil)
        #expect(rows.end(of: "t") == ["a"])
        #expect(rows.note("a", of: "t", at: .seconds(19)) == .isInOrder)
    }

    @Test mutating func rowsThatHaveToBeReadAreReadOnce() {
        #expect(rows.isUnknown("a", of: "t", at: .zero))
        #expect(rows.demand(["a", "b", "a"], of: "t", at: .zero) == false)
        #expect(!rows.isUnknown("a", of: "t", at: .seconds(9)))
        #expect(rows.isUnknown("a", of: "t", at: .seconds(10)))
        #expect(rows.note("b", of: "t", at: .seconds(1)) == .isInDoubt)
        #expect(rows.next(of: "t") == ["a", "b"])
        #expect(rows.demand(["b"], of: "t", at: .seconds(2)) == false)
        #expect(rows.end(of: "t") == ["a", "b"])
        #expect(rows.next(of: "t") == ["b"])
    }

    @Test mutating func moreRowsThanCanBeReadAreTooMany() {
        let ids = (0...OvertakenRows.limit).map { RowID.integer(Int64($0)) }
        #expect(rows.demand(ids, of: "t", at: .zero) == true)
        #expect(rows.next(of: "t") == nil)
    }

    @Test mutating func aChangeOfRowsThatNobodyNamesPutsAllInDoubt() {
        _ = rows.note("a", of: "t", at: .zero)
        _ = rows.note("b", of: "t", at: .seconds(5))
        _ = rows.note("c", of: "u", at: .seconds(5))
        #expect(rows.noteAll(of: "t", at: .seconds(12)) == false)
        #expect(rows.next(of: "u") == nil)
        #expect(rows.next(of: "t") == ["b"])
        #expect(rows.noteAll(of: "t", at: .seconds(13)) == false)
        #expect(rows.end(of: "t") == [])
        #expect(rows.next(of: "t") == ["b"])
        #expect(rows.note("d", of: "t", at: .seconds(20)) == .isInDoubt)
        #expect(rows.note("e", of: "t", at: .seconds(23)) == .isInOrder)
        #expect(rows.note("d", of: "u", at: .seconds(20)) == .isInOrder)
    }

    @Test mutating func whatChangesWhileItIsReadIsReadAgain() {
        for id: RowID in ["a", "b"] {
            _ = rows.note(id, of: "t", at: .zero)
            #expect(rows.note(id, of: "t", at: .seconds(1)) == .isInDoubt)
        }
        #expect(rows.next(of: "t") == ["a", "b"])
        #expect(rows.note("b", of: "t", at: .seconds(20)) == .isInDoubt)
        #expect(rows.end(of: "t") == ["a", "b"])
        #expect(rows.next(of: "t") == ["b"])
        #expect(rows.end(of: "t") == ["b"])
        #expect(rows.next(of: "t") == nil)
    }

    @Test mutating func aRowThatChangesFasterThanItIsReadIsToldAllTheSame() {
        #expect(rows.demand(["a"], of: "t", at: .zero) == false)
        for second in 1...5 {
            #expect(rows.next(of: "t") == ["a"])
            #expect(rows.note("a", of: "t", at: .seconds(second)) == .isInDoubt)
            #expect(rows.end(of: "t") == ["a"])
        }
    }

    @Test mutating func aChangeOfRowsThatNobodyNamesOutdatesWhatIsReadWhateverComesBehindIt() {
        #expect(rows.demand(["a"], of: "t", at: .zero) == false)
        #expect(rows.next(of: "t") == ["a"])
        #expect(rows.noteAll(of: "t", at: .seconds(1)) == false)
        #expect(rows.note("a", of: "t", at: .seconds(2)) == .isInDoubt)
        #expect(rows.end(of: "t") == [])
        #expect(rows.next(of: "t") == ["a"])
    }

    @Test mutating func manyAreReadOneBatchAfterAnother() {
        for number in 0..<(2 * OvertakenRows.batch) {
            let id = RowID.integer(Int64(number))
            _ = rows.note(id, of: "t", at: .zero)
            _ = rows.note(id, of: "t", at: .zero)
        }
        #expect(rows.next(of: "t")?.count == OvertakenRows.batch)
        _ = rows.end(of: "t")
        #expect(rows.next(of: "t")?.count == OvertakenRows.batch)
        #expect(rows.end(of: "t").count == OvertakenRows.batch)
        #expect(rows.next(of: "t") == nil)
    }

    @Test mutating func tooManyAreNotReadOneByOne() {
        var verdicts: [OvertakenRows.Verdict] = []
        for number in 0...OvertakenRows.limit {
            let id = RowID.integer(Int64(number))
            _ = rows.note(id, of: "t", at: .zero)
            verdicts.append(rows.note(id, of: "t", at: .zero))
        }
        #expect(verdicts.dropLast().allSatisfy { $0 == .isInDoubt })
        #expect(verdicts.last == .isTooMuch)
        #expect(rows.next(of: "t") == nil)
    }

    @Test mutating func afterAGapWhatIsBeingReadIsOfNoUse() {
        _ = rows.note("a", of: "t", at: .zero)
        _ = rows.note("a", of: "t", at: .zero)
        #expect(rows.next(of: "t") == ["a"])
        rows.forget("t")
        _ = rows.note("b", of: "t", at: .seconds(1))
        _ = rows.note("b", of: "t", at: .seconds(1))
        #expect(rows.next(of: "t") == nil)
        #expect(rows.end(of: "t") == [])
        #expect(rows.next(of: "t") == ["b"])
    }
}
