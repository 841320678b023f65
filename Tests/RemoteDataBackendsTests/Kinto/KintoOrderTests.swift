import RemoteData
import Testing

@testable import RemoteDataBackends

@Suite struct KintoOrderTests {
    private func order(_ text: String) throws -> KintoOrder { try KintoOrder(SortTerm.parse(text)) }

    private func row(_ json: String) throws -> Row { try Row.parse(Array(json.utf8)[...], idColumn: "id") }

    @Test func theIDComesLast() throws {
        #expect(try order("").text(isReversed: false) == "id")
        #expect(try order("name desc, place.city").text(isReversed: false) == "-name,place.city,id")
        #expect(try order("name desc, place.city").text(isReversed: true) == "name,-place.city,-id")
        #expect(try order("name, id desc, age").text(isReversed: false) == "name,-id")
        #expect(try order("name, name desc").text(isReversed: false) == "name,id")
    }

    @Test(arguments: ["\"two words\"", "\"a.b\"", "\"my-field\"", "a.\"b c\""])
    func whatKintoWouldPassOverIsRefused(column: String) throws {
        let error = #expect(throws: RemoteDataError.self) { try order(column) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func missingValuesAreTheGreatest() throws {
        let rows = [try row(#"{"id":"a"}"#)]
        try order("name").check(rows)
        try order("name desc nulls first").check(rows)
        for text in ["name nulls first", "name desc"] {
            let error = #expect(throws: RemoteDataError.self) { try order(text).check(rows) }
            #expect(error?.code == .invalidRequest)
        }
    }

    @Test func nullsOfOtherProgramsAreTheLeast() throws {
        let rows = [try row(#"{"id":"a","name":null}"#)]
        try order("name nulls first").check(rows)
        try order("name desc").check(rows)
        for text in ["name", "name desc nulls first"] {
            let error = #expect(throws: RemoteDataError.self) { try order(text).check(rows) }
            #expect(error?.message.contains("null") == true)
        }
        // Within nothing there is nothing.
        try order("place.city").check([
            try row(#"{"id":"a","place":null}"#), try row(#"{"id":"b","place":1}"#),
        ])
        #expect(throws: RemoteDataError.self) {
            try order("place.city").check([try row(#"{"id":"a","place":{"city":null}}"#)])
        }
    }
}
