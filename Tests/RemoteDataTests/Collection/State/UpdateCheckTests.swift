import Testing

@testable import RemoteData

/// Which columns of an element may be left over from a version of its row.
struct UpdateCheckTests {
    private func leaves(_ json: String) throws -> JSONLeaves {
        try JSONObject.leaves(of: JSONObject.members(of: Array(json.utf8)[...]))
    }

    private func check(
        _ element: String,
        newest: String,
        written: String? = nil,
        stored: String? = nil,
        changed: Set<JSONPath> = [],
        stamp: JSONPath? = nil
    ) throws -> UpdateCheck {
        var values = WrittenValues()
        if let written { values.note(WrittenValues.Update(try leaves(written), changed: changed, of: 1)) }
        if let written, let stored {
            values.note(try leaves(written), storedAs: try leaves(stored), of: 1)
        }
        return UpdateCheck(
            try leaves(element),
            newest: try leaves(newest),
            written: values.ofRow(under: [1]),
            stamp: stamp
        )
    }

    private func leftovers(_ check: UpdateCheck, _ versions: String...) throws -> Set<String> {
        check.leftovers(from: try versions.map(leaves))?.columns ?? []
    }

    @Test("A column with the value of an older version is left over")
    func olderValue() throws {
        let check = try check(#"{"a":1,"b":9}"#, newest: #"{"a":2,"b":1}"#)
        #expect(check.changed == [["a"], ["b"]])
        #expect(try leftovers(check, #"{"a":1,"b":1}"#) == ["a"])
        #expect(try leftovers(check, #"{"a":3,"b":3}"#) == [])
        #expect(try leftovers(check, #"{"a":1,"b":9}"#) == ["a", "b"])
    }

    @Test("Null is as a column that is not there")
    func nullIsNothing() throws {
        let check = try check(#"{"a":null}"#, newest: #"{"a":2,"b":null}"#)
        #expect(check.changed == [["a"]])
        #expect(try leftovers(check, "{}") == ["a"])
    }

    @Test("A part of an object that is left over is found")
    func partOfAnObject() throws {
        let check = try check(#"{"o":{"x":9,"y":1}}"#, newest: #"{"o":{"x":1,"y":2}}"#)
        #expect(try leftovers(check, #"{"o":{"x":1,"y":1}}"#) == ["o"])
        #expect(try leftovers(check, #"{"o":{"x":1,"y":3}}"#) == [])
    }

    @Test("An object that others took away is not put back by a change in it")
    func objectTakenAway() throws {
        let check = try check(#"{"o":{"x":9,"y":1}}"#, newest: "{}")
        #expect(try leftovers(check, #"{"o":{"x":1,"y":1}}"#) == ["o"])
    }

    @Test("What this collection wrote can be changed back")
    func changingBack() throws {
        let check = try check(
            #"{"a":1}"#,
            newest: #"{"a":2}"#,
            written: #"{"a":2}"#,
            changed: [["a"]]
        )
        #expect(try leftovers(check, #"{"a":1}"#) == [])
    }

    @Test("What another wrote over it cannot")
    func writtenOver() throws {
        let check = try check(
            #"{"a":1}"#,
            newest: #"{"a":3}"#,
            written: #"{"a":2}"#,
            changed: [["a"]]
        )
        #expect(try leftovers(check, #"{"a":1}"#) == ["a"])
    }

    @Test("What this collection took away can be put back")
    func puttingBack() throws {
        let check = try check(#"{"a":1}"#, newest: "{}", written: "{}", changed: [["a"]])
        #expect(try leftovers(check, #"{"a":1}"#) == [])
    }

    @Test("A change of something else shows a copy from before an own update")
    func copyFromBefore() throws {
        let check = try check(
            #"{"a":1,"b":9}"#,
            newest: #"{"a":2,"b":1}"#,
            written: #"{"a":2}"#,
            changed: [["a"]]
        )
        #expect(try leftovers(check, #"{"a":1,"b":1}"#) == ["a"])
    }

    @Test("A change of what was written together with it does not")
    func changeOfACompanion() throws {
        let check = try check(
            #"{"a":1,"b":9}"#,
            newest: #"{"a":2,"b":8}"#,
            written: #"{"a":2,"b":8}"#,
            changed: [["a"], ["b"]]
        )
        #expect(try leftovers(check, #"{"a":1,"b":1}"#) == [])
    }

    @Test("A date of the last change says which version an element was made from")
    func dateOfTheChange() throws {
        let newest = #"{"a":2,"b":1,"t":20}"#
        let (older, same) = (#"{"a":1,"b":1,"t":10}"#, #"{"a":1,"b":1,"t":20}"#)
        let fresh = try check(#"{"a":1,"b":1,"t":20}"#, newest: newest, stamp: ["t"])
        #expect(try leftovers(fresh, older) == [])
        #expect(try leftovers(fresh, older, same) == ["a"])
        #expect(fresh.leftovers { _ in true } == [])
        let stale = try check(#"{"a":1,"b":9,"t":10}"#, newest: newest, stamp: ["t"])
        #expect(try leftovers(stale, older) == ["a"])
        #expect(try leftovers(stale, #"{"a":3,"b":1,"t":10}"#, #"{"a":1,"b":9,"t":15}"#) == [])
        // The table writes it.
        #expect(stale.changed == [["a"], ["b"]] && stale.omitted == ["t"])
        let without = try check(#"{"a":1,"b":1}"#, newest: newest, stamp: ["t"])
        #expect(try leftovers(without, older) == ["a"])
    }

    @Test("What the table made of an element when it was written is left out")
    func effectOfAnUpdate() throws {
        let check = try check(
            #"{"a":2,"b":9,"t":10}"#,
            newest: #"{"a":2,"b":1,"t":20}"#,
            written: #"{"a":2,"b":1,"t":10}"#,
            stored: #"{"a":2,"b":1,"t":20}"#,
            changed: [["a"]]
        )
        #expect(check.changed == [["b"]] && check.omitted == ["t"])
        #expect(try leftovers(check, #"{"a":1,"b":1,"t":10}"#) == [])
    }

    @Test("A column that was changed in a part is not left out for another part")
    func effectOnAPart() throws {
        let check = try check(
            #"{"o":{"x":9,"t":10}}"#,
            newest: #"{"o":{"x":1,"t":20}}"#,
            written: #"{"o":{"x":1,"t":10}}"#,
            stored: #"{"o":{"x":1,"t":20}}"#
        )
        #expect(check.omitted == [])
        #expect(try leftovers(check, #"{"o":{"x":1,"t":10}}"#) == ["o"])
    }

    @Test("Of a version that is not known, the columns that have changed since are")
    func unknownVersion() throws {
        let check = try check(
            #"{"a":1,"b":9}"#,
            newest: #"{"a":2,"b":1}"#,
            written: #"{"b":1}"#,
            changed: [["b"]]
        )
        #expect(check.leftovers { $0 == "b" || $0 == "c" } == [])
        #expect(check.leftovers { $0 == "a" } == ["a"])
        #expect(check.leftovers { _ in true } == ["a"])
    }
}
