import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

/// What is made of answers that are as they should be.
struct AnswerTests {
    private func draft(_ json: String) throws -> Draft {
        try Draft(Array(json.utf8)[...], idColumn: "objectId")
    }

    @Test func countsAndPagesHaveTheTablesRevision() async throws {
        let count = try await StubTransport(.json("42", revision: 7)).table().count(nil)
        #expect(count == Count(42, revision: Revision(7)))
        let page = try await StubTransport(.json(#" [{"objectId":"a"},{"objectId":2}]"#, revision: 8)).table()
            .page(PageRequest(Query()))
        #expect(page.rows.map(\.id) == ["a", 2])
        #expect(page.revision == Revision(8))
    }

    @Test func aRowHasItsRevisionFromTheEntityTag() async throws {
        let answer = HTTPResponse.json(#"{"objectId":"a","n":1}"#, revision: 9, etag: #""5""#)
        let row = try await StubTransport(answer).table().row("a")
        #expect(row?.revision == Revision(5))
        #expect(row?.text == #"{"objectId":"a","n":1}"#)
        let odd = try await StubTransport(.json(#"{"objectId":"a"}"#, etag: "W/5")).table().row("a")
        #expect(odd?.revision == nil)
    }

    @Test(
        "A row has its revision where a proxy has compressed the answer",
        arguments: [#"W/"5-0a1b2c3d""#, #""5-0a1b2c3d-gzip""#, #"W/"5-0a1b2c3d-gzip""#]
    )
    func aRevisionThroughAProxy(etag: String) async throws {
        let row = try await StubTransport(.json(#"{"objectId":"a"}"#, etag: etag)).table().row("a")
        #expect(row?.revision == Revision(5, epoch: Epoch(rawValue: 0x0A1B_2C3D)))
    }

    @Test("Answers have the epoch of the server")
    func answersHaveTheirEpoch() async throws {
        let epoch = Epoch(rawValue: 0x0A1B_2C3D)
        func revision(_ number: Int64) -> Revision { Revision(number, epoch: epoch) }
        func table(_ text: String, _ number: Int, etag: String? = nil) throws -> RESTTable {
            try StubTransport(.json(text, revision: number, epoch: "0a1b2c3d", etag: etag)).table()
        }
        #expect(try await table("42", 7).count(nil).revision == revision(7))
        #expect(try await table("[]", 8).page(PageRequest(Query())).revision == revision(8))
        let row = try await table(#"{"objectId":"a"}"#, 9, etag: #""5-0a1b2c3d""#).row("a")
        #expect(row?.revision == revision(5))
        let bulk = try await table(#"["A","b"]"#, 20).commit(.create([draft("{}"), draft("{}")]))
        #expect(bulk.revision == revision(20))
        #expect(bulk.rows.map(\.revision) == [revision(19), revision(20)])
        #expect(try await table(#"{"deletionTime":5}"#, 5).commit(.delete("A")).revision == revision(5))
        let changes = #"[{"revision":3,"kind":"created","row":{"objectId":"a"}}]"#
        let batch = try await table(
            #"{"changes":\#(changes),"revision":4,"epoch":"0a1b2c3d","complete":true}"#,
            4
        ).changes(since: revision(2), limit: 10)
        #expect(batch.revision == revision(4))
        #expect(batch.changes.map(\.revision) == [revision(3)])
        #expect(batch.changes.first?.row?.revision == revision(3))
        let odd = try StubTransport(.json(#"{"changes":[],"revision":4,"epoch":"x","complete":true}"#))
            .table()
        let error = await failure { () async throws(RemoteDataError) in
            try await odd.changes(since: .zero, limit: 10)
        }
        #expect(error?.code == .invalidAnswer)
    }

    @Test func aRowThatIsNotThereIsNil() async throws {
        let absent = HTTPResponse.json(#"{"code":1001,"message":"no"}"#, status: 404)
        #expect(try await StubTransport(absent).table().row("a") == nil)
        #expect(try await StubTransport(.json(#"{"objectId":"7"}"#)).table().row(7) == nil)
    }

    @Test func aRowMayHaveColumnsNamedLikeAnError() async throws {
        let json = #"{"objectId":"a","code":1009,"message":"hello"}"#
        #expect(try await StubTransport(.json(json)).table().row("a")?.text == json)
    }

    @Test func theRowsOfABulkWriteAreWhatWasSent() async throws {
        let drafts = [try draft(#"{"n":1}"#), try draft(#"{"objectId":"b","n":2}"#), try draft("{}")]
        let outcome = try await StubTransport(.json(#"["A","b",3]"#, revision: 20)).table().commit(
            .create(drafts)
        )
        #expect(outcome.ids == ["A", "b", 3])
        #expect(outcome.count == 3)
        #expect(outcome.revision == Revision(20))
        let texts = [#"{"objectId":"A","n":1}"#, #"{"objectId":"b","n":2}"#, #"{"objectId":3}"#]
        #expect(outcome.rows.map(\.text) == texts)
        #expect(outcome.rows.map(\.revision) == [18, 19, 20].map { Revision($0) })
    }

    @Test func theRowsOfABulkWriteAreUnknownWithoutRevisions() async throws {
        let drafts = [try draft("{}"), try draft("{}")]
        let outcome = try await StubTransport(.json(#"["A","B"]"#)).table().commit(.upsert(drafts))
        #expect(outcome.rows.isEmpty && outcome.ids == ["A", "B"] && outcome.revision == nil)
    }

    @Test func aSingleWriteAnswersTheStoredRow() async throws {
        let answer = HTTPResponse.json(#"{"objectId":"A","n":1}"#, revision: 4, etag: #""4""#)
        let outcome = try await StubTransport(answer).table().commit(.create([draft(#"{"n":1}"#)]))
        #expect(outcome.ids == ["A"] && outcome.count == 1 && outcome.revision == Revision(4))
        #expect(outcome.rows.first?.revision == Revision(4))
        let deleted = try await StubTransport(.json(#"{"deletionTime":5}"#, revision: 5)).table().commit(
            .delete("A")
        )
        #expect(deleted == Outcome(ids: ["A"], count: 1, revision: Revision(5)))
        let many = try await StubTransport(.json("12", revision: 6)).table().commit(.deleteAll(nil))
        #expect(many == Outcome(count: 12, revision: Revision(6)))
    }

    @Test func changesAreReadWithTheirRowsAndKeys() async throws {
        let json = """
            {"changes":[
              {"revision":1,"kind":"created","row":{"objectId":"a","n":1}},
              {"revision":2,"kind":"updated","row":{"objectId":"a","n":2},"previousKey":["x",null,"a"]},
              {"revision":3,"kind":"deleted","objectId":7,"left":true,"previousKey":[7]},
              {"revision":4,"kind":"bulkDeleted","where":"age > 90","count":3,"new":{"x":[1]}},
              {"revision":5,"kind":"moved"}
            ],"revision":5,"complete":false,"more":1}
            """
        let batch = try await StubTransport(.json(json)).table().changes(since: .zero, limit: 100)
        #expect(batch.revision == Revision(5) && !batch.isComplete)
        #expect(
            batch.changes.map(\.kind.rawValue) == ["created", "updated", "deleted", "bulkDeleted", "moved"]
        )
        #expect(batch.changes[0].row?.revision == Revision(1) && batch.changes[0].id == "a")
        #expect(batch.changes[1].previousKey == Key(values: ["x", .null], id: "a"))
        #expect(batch.changes[2].id == 7 && batch.changes[2].left)
        #expect(try batch.changes[3].predicate == Where("age > 90") && batch.changes[3].count == 3)
    }

    @Test func aMissingTableIsEmptyForWhomItIsAllowed() async throws {
        let missing = HTTPResponse.json(#"{"code":1009,"message":"no"}"#, status: 404)
        var configuration = RESTConfiguration()
        configuration.treatsMissingTablesAsEmpty = true
        let table = try StubTransport(missing).table(configuration)
        #expect(try await table.count(nil) == Count(0, revision: .zero))
        #expect(try await table.page(PageRequest(Query())).rows.isEmpty)
        #expect(try await table.row("a") == nil)
        #expect(try await table.commit(.deleteAll(nil)).count == 0)
        #expect(try await table.changes(since: .zero, limit: 5).isComplete)
        #expect(
            await failure { () throws(RemoteDataError) in try await table.commit(.delete("a")) }?.code
                == .notFound
        )
        let late = await failure { () throws(RemoteDataError) in
            try await table.changes(since: Revision(3), limit: 5)
        }
        #expect(late?.code == .gone)
    }
}
