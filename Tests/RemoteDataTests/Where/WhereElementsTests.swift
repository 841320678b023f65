import RemoteData
import Testing

@Suite struct WhereElementsTests {
    private let row = Row(
        id: "1",
        json: ArraySlice(
            #"""
            {"tags":["a","b\u00e9",null],"numbers":[1, 2.5,true , 9007199254740993],"deep":[[1, 2],{"a":1},[]],
            "none":[],"nulls":[null],"text":"[1]","number":1,"yes":true,"object":{"a":1},"nil":null,"in":{"list":["x"]}}
            """#.utf8
        )
    )

    private func truth(_ clause: String) throws -> Truth { try Where(clause).truth(of: row) }

    @Test(arguments: [
        ("tags contains 'a'", Truth.true), ("tags contains 'bé'", .true),
        ("tags contains 'be\u{301}'", .false),
        ("tags contains 'A'", .false), ("tags contains 'ab'", .false),
        ("tags contains any ('z', 'a')", .true),
        ("tags contains any ('z', 'y')", .false), ("tags contains any ()", .false),
        ("tags contains all ()", .true),
        ("tags contains all ('bé', 'a', 'a')", .true), ("tags contains all ('a', 'z')", .false),
        ("none contains 'a'", .false), ("none contains all ()", .true), ("none contains any ()", .false),
        ("in.list contains 'x'", .true),
    ])
    func findsElements(clause: String, expected: Truth) throws { #expect(try truth(clause) == expected) }

    @Test(arguments: [
        ("numbers contains 1", Truth.true), ("numbers contains 1.0", .true), ("numbers contains true", .true),
        ("numbers contains 2", .false), ("numbers contains 2.5", .true), ("numbers contains '1'", .false),
        ("numbers contains 9007199254740993", .true), ("numbers contains 9007199254740992.0", .false),
        ("numbers contains all (true, 1, 1.0, 2.5)", .true), ("deep contains '[1,2]'", .true),
        ("deep contains '{\"a\":1}'", .true), ("deep contains 1", .false), ("deep contains '[]'", .true),
    ])
    func elementsCompareAsValuesDo(clause: String, expected: Truth) throws {
        #expect(try truth(clause) == expected)
    }

    @Test(arguments: [
        ("tags contains null", Truth.false), ("nulls contains null", .false),
        ("tags contains any (null, 'a')", .true),
        ("tags contains all ('a', null)", .false), ("tags contains all (null)", .false),
        ("nil contains 'a'", .unknown), ("absent contains 'a'", .unknown), ("nil contains all ()", .unknown),
        ("nil contains any ()", .unknown), ("nil contains null", .unknown), ("null contains 'a'", .unknown),
    ])
    func nullEqualsNothingAndANullListIsUnknown(clause: String, expected: Truth) throws {
        #expect(try truth(clause) == expected)
    }

    @Test(arguments: ["text", "number", "yes", "object", "'[1]'", "5", "tags.a"])
    func whatIsNoArrayContainsNothing(operand: String) throws {
        let expected: Truth = operand == "tags.a" ? .unknown : .false
        #expect(try truth("\(operand) contains 1") == expected)
        #expect(try truth("\(operand) contains all ()") == expected)
        #expect(try truth("\(operand) not contains 1") == expected.negated)
    }

    @Test func notTurnsItRound() throws {
        #expect(try truth("tags not contains 'a'") == .false)
        #expect(try truth("not tags contains 'z'") == .true)
        #expect(try truth("nil not contains 'z'") == .unknown)
    }

    @Test func readsEachForm() throws {
        let tags = Where.Operand.column("tags")
        #expect(try Where("tags Contains 'a'") == .contains(tags, .any(["a"])))
        #expect(try Where("tags contains -1.5") == .contains(tags, .any([-1.5])))
        #expect(try Where("tags contains any('a', 2, TRUE)") == .contains(tags, .any(["a", 2, true])))
        #expect(try Where("tags contains ALL (null)") == .contains(tags, .all([nil])))
        #expect(try Where("tags not contains any ()") == .not(.contains(tags, .any([]))))
        #expect(
            try Where("(tags) contains 'a' and b")
                == .and([.contains(tags, .any(["a"])), .truth(.column("b"))])
        )
    }

    @Test func theWordsAreNamesOfColumnsElsewhere() throws {
        #expect(try Where("contains contains 'a'") == .contains(.column("contains"), .any(["a"])))
        #expect(try Where("not contains") == .not(.truth(.column("contains"))))
        #expect(
            try Where("any = 1 or all in (contains, matches)")
                == .or([
                    .comparison(.column("any"), .equal, .literal(1)),
                    .isIn(.column("all"), [.column("contains"), .column("matches")]),
                ])
        )
        #expect(try Where("matches is null and contains").description == "matches IS NULL AND contains")
    }

    @Test func aListOfManyIsLookedThroughOnce() {
        // 20,000 values against 20,000 elements would be 400 million comparisons.
        let values = (0..<20_000).map { Value.integer(Int64($0) * 2) }
        let list = (0..<20_000).map { String($0 * 2 + 1) }.joined(separator: ",")
        let row = Row(id: "1", json: ArraySlice("{\"a\":[\(list)]}".utf8))
        let matcher = Where.Matcher(.contains("a", any: values))
        for _ in 0..<20 { #expect(matcher.truth(of: row) == .false) }
    }
}
