import RemoteData
import Testing

@Suite struct KeyTests {
    @Test func aKeyIsAnArrayOfValuesAndTheId() {
        #expect(
            Key(values: ["Smith", nil, 5, 1.5, true], id: "A1").json
                == Array(#"["Smith",null,5,1.5,true,"A1"]"#.utf8)
        )
        #expect(Key(values: [], id: 7).json == Array("[7]".utf8))
    }

    @Test func readingWhatWasWrittenGivesTheSameKey() throws {
        var generator = WhereGenerator(seed: 9)
        for _ in 0..<1_000 {
            let values = (0..<generator.random.number(0..<4)).map { _ in generator.value() }
            let id = generator.random.chance(2) ? RowID.integer(.min) : .text("\"\u{301}'")
            let key = Key(values: values, id: id)
            #expect(try Key(json: key.json[...], termCount: values.count) == key)
        }
    }

    @Test(arguments: ["", "[]", "5", "[null]", "[1.5]", "[[]]", "[1,2]", "[1", "{}", "[true]"])
    func whatIsNoKeyIsRefused(json: String) {
        let error = #expect(throws: RemoteDataError.self) {
            try Key(json: Array(json.utf8)[...], termCount: 0)
        }
        #expect(error?.code == .invalidRequest)
    }

    @Test func keysOrderByTheirTermsThenById() throws {
        let sort = try SortTerm.parse("a desc, b nulls first")
        func order(_ left: ([Value], RowID), _ right: ([Value], RowID)) -> Order {
            Key.order(Key(values: left.0, id: left.1), Key(values: right.0, id: right.1), sort: sort)
        }
        #expect(order(([2, 1], 1), ([1, 1], 1)) == .ascending)
        #expect(order(([1, nil], 1), ([1, 1], 1)) == .ascending)
        #expect(order(([nil, 1], 1), ([1, 1], 1)) == .descending)
        #expect(order(([1, 1], 1), ([1, 1], "a")) == .ascending)
        #expect(order(([1, 1], "b"), ([1, 1], "a")) == .descending)
        #expect(order(([1, 1], "a"), ([1, 1], "a")) == .same)
    }
}
