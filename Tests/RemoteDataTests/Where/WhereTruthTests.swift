import RemoteData
import Testing

@Suite struct WhereTruthTests {
    private let row = Row(
        id: "1",
        json: ArraySlice(
            #"{"objectId":"1","n":5,"d":5.0,"t":"abc","yes":true,"no":false,"zero":0,"nil":null,"list":[1, 2]}"#
                .utf8
        )
    )

    private func truth(_ clause: Where) -> Truth { clause.truth(of: row) }

    @Test func eachComparisonHoldsForItsOrders() {
        let expected: [Where.Comparison: [Truth]] = [
            .equal: [.false, .true, .false], .notEqual: [.true, .false, .true],
            .less: [.false, .false, .true], .lessOrEqual: [.false, .true, .true],
            .greater: [.true, .false, .false], .greaterOrEqual: [.true, .true, .false],
        ]
        for comparison in Where.Comparison.allCases {
            let found = [4, 5, 6].map { truth(.comparison(.column("n"), comparison, .literal(.integer($0)))) }
            #expect(found == expected[comparison])
        }
    }

    @Test func comparisonWithNullIsUnknown() {
        for comparison in Where.Comparison.allCases {
            #expect(truth(.comparison(.column("nil"), comparison, .literal(1))) == .unknown)
            #expect(truth(.comparison(.column("absent"), comparison, .column("nil"))) == .unknown)
            #expect(truth(.comparison(.literal(nil), comparison, .column("n"))) == .unknown)
        }
    }

    @Test func integersAndDoublesCompareAsNumbers() {
        #expect(truth(.comparison(.column("n"), .equal, .column("d"))) == .true)
        #expect(truth(.comparison(.column("yes"), .equal, .literal(1))) == .true)
    }

    @Test func numbersComeBeforeText() {
        #expect(truth(.comparison(.column("t"), .greater, .column("n"))) == .true)
        #expect(truth(.comparison(.column("list"), .equal, .literal("[1,2]"))) == .true)
    }

    @Test func textComparesByItsBytes() {
        let row = Row(id: "1", json: ArraySlice(#"{"name":"e\#u{301}"}"#.utf8))
        #expect(!Where.comparison(.column("name"), .equal, .literal("\u{E9}")).matches(row))
        #expect(Where.comparison(.column("name"), .equal, .literal("e\u{301}")).matches(row))
    }

    @Test func inIsUnknownOnlyWhenANullCouldHaveBeenTheValue() {
        #expect(truth(.isIn(.column("n"), [.literal(5), .literal(nil)])) == .true)
        #expect(truth(.isIn(.column("n"), [.literal(6), .literal(nil)])) == .unknown)
        #expect(truth(.isIn(.column("n"), [.literal(6)])) == .false)
        #expect(truth(.isIn(.column("nil"), [.literal(6)])) == .unknown)
        #expect(truth(.not(.isIn(.column("n"), [.literal(6), .literal(nil)]))) == .unknown)
        #expect(truth(.not(.isIn(.column("n"), [.literal(5), .literal(nil)]))) == .false)
    }

    @Test func inOfNothingIsFalseEvenForNull() {
        #expect(truth(.isIn(.column("n"), [])) == .false)
        #expect(truth(.isIn(.column("nil"), [])) == .false)
    }

    @Test func betweenIncludesBothEnds() {
        #expect(truth(.between(.column("n"), low: .literal(5), high: .literal(5))) == .true)
        #expect(truth(.between(.column("n"), low: .literal(6), high: .literal(4))) == .false)
    }

    @Test func betweenWithOneNullBoundIsFalseWhenTheOtherSaysSo() {
        #expect(truth(.between(.column("n"), low: .literal(nil), high: .literal(4))) == .false)
        #expect(truth(.between(.column("n"), low: .literal(nil), high: .literal(6))) == .unknown)
        #expect(truth(.between(.column("n"), low: .literal(6), high: .literal(nil))) == .false)
        #expect(truth(.between(.column("nil"), low: .literal(6), high: .literal(7))) == .unknown)
    }

    @Test func isNullIsNeverUnknown() {
        #expect(truth(.isNull(.column("nil"))) == .true)
        #expect(truth(.isNull(.column("absent"))) == .true)
        #expect(truth(.isNull(.column("n"))) == .false)
        #expect(truth(.not(.isNull(.column("nil")))) == .false)
    }

    @Test func likeIsFalseForWhatIsNotTextAndUnknownForNull() {
        let anything = Where.LikePattern("%")
        #expect(truth(.like(.column("t"), anything)) == .true)
        for column in ["n", "d", "yes", "list"] as [ColumnPath] {
            #expect(truth(.like(.column(column), anything)) == .false)
        }
        #expect(truth(.like(.column("nil"), anything)) == .unknown)
    }

    @Test func bareOperandIsTrueForNumbersOtherThanZero() {
        let expected: [ColumnPath: Truth] = [
            "n": .true, "d": .true, "yes": .true, "no": .false, "zero": .false, "t": .false, "list": .false,
            "nil": .unknown, "absent": .unknown,
        ]
        for (column, expected) in expected { #expect(truth(.truth(.column(column))) == expected) }
        #expect(truth(.truth(.literal(0.5))) == .true)
        #expect(truth(.truth(.literal(-0.0))) == .false)
    }

    @Test func connectivesFollowKleenesTables() {
        let conditions: [Truth: Where] = [
            .true: .truth(.literal(true)), .false: .truth(.literal(false)), .unknown: .truth(.literal(nil)),
        ]
        let rank: [Truth: Int] = [.false: 0, .unknown: 1, .true: 2]
        for (left, first) in conditions {
            #expect(rank[truth(.not(first))] == rank[left].map { 2 - $0 })
            for (right, second) in conditions {
                let ranks = [left, right].compactMap { rank[$0] }
                #expect(rank[truth(.and([first, second]))] == ranks.min())
                #expect(rank[truth(.or([first, second]))] == ranks.max())
            }
        }
    }

    @Test func nestedColumnsAreReadFromInnerObjects() {
        let row = Row(id: "1", json: ArraySlice(#" {"a":{"b":{"c":7},"d":8},"a.b":9,"x":[{"b":1}]} "#.utf8))
        let found = Where.and([
            .comparison(.column(ColumnPath(names: ["a", "b", "c"])), .equal, .literal(7)),
            .comparison(.column(ColumnPath(names: ["a", "d"])), .equal, .literal(8)),
            .comparison(.column("a.b"), .equal, .literal(9)),
            .isNull(.column(ColumnPath(names: ["x", "b"]))),
            .comparison(.column(ColumnPath(names: ["a", "b"])), .equal, .literal(#"{"c":7}"#)),
        ])
        #expect(found.matches(row))
    }

    @Test func aPassOverTheRowReadsWhatTheSubscriptReads() {
        let row = Row(id: "1", json: ArraySlice(#"{"a":{"x":1},"a":{"y":2},"b":1,"b":2,"c":{"d":[]}}"#.utf8))
        let paths = [["a"], ["a", "x"], ["a", "y"], ["b"], ["c", "d"], ["c", "d", "e"], ["z"]]
            .map { ColumnPath(names: $0) }
        let same = paths.map { path in
            Where.or([
                .comparison(.column(path), .equal, .literal(row[path])),
                .and([.isNull(.column(path)), .isNull(.literal(row[path]))]),
            ])
        }
        for (path, same) in zip(paths, same) { #expect(same.matches(row), "\(path)") }
        #expect(Where.and(same).matches(row))
    }
}
