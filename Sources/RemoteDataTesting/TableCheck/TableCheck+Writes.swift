import Foundation
import RemoteData

extension TableCheck {
    func writes(_ table: any Table) async throws {
        expect(try await table.row(id("a")), is: nil, "a row that is not there")
        let created = try await create(id("a"), #""name":"Ann","age":30,"place":{"city":"Rom"}"#, in: table)
        expect(created.count, is: 1, "rows created")
        expect(created.ids, is: [id("a")], "their ids")
        let row = try await table.row(id("a"))
        expect(row?["name"], is: "Ann", "a created row's name")
        expect(row?[ColumnPath(names: ["place", "city"])], is: "Rom", "a nested value")
        expect(row?["nothing"], is: .null, "a column the row does not have")
        await expect(.alreadyExists, "creating a row again") { () throws(RemoteDataError) in
            try await table.commit(.create([try check { try draft(id("a"), in: table) }]))
        }
        expect(try await table.row(id("a"))?["name"], is: "Ann", "the row after the refused write")

        let upserted = try await table.commit(.upsert([draft(id("a"), #""name":"Anna""#, in: table)]))
        expect(upserted.ids, is: [id("a")], "ids of an upsert")
        expect(try await table.row(id("a"))?["name"], is: "Anna", "a replaced row")
        expect(try await table.row(id("a"))?["age"], is: .null, "a column the replacement does not have")
        _ = try await table.commit(.upsert([draft(id("b"), #""name":"Bob""#, in: table)]))
        expect(try await table.row(id("b"))?["name"], is: "Bob", "a row added by an upsert")

        let patched = try await table.commit(.update(id("a"), patch: patch(#"{"age":31,"note":null}"#)))
        expect(patched.count, is: 1, "rows patched")
        expect(patched.rows.first.map { $0["age"] } ?? 31, is: 31, "the answer to a patch")
        let after = try await table.row(id("a"))
        expect(after?["age"], is: 31, "a patched column")
        expect(after?["name"], is: "Anna", "a column the patch does not name")
        await expect(.notFound, "patching a row that is not there") { () throws(RemoteDataError) in
            try await table.commit(.update(id("x"), patch: patch(#"{"age":1}"#)))
        }

        let removed = try await table.commit(.delete(id("a")))
        expect(removed.count, is: 1, "rows removed")
        expect(try await table.row(id("a")), is: nil, "a removed row")
        await expect(.notFound, "removing a row again") { () throws(RemoteDataError) in
            try await table.commit(.delete(id("a")))
        }
        expect(try await allIDs(Query(), of: table), is: [id("b")], "the rows left")
    }

    func ids(_ table: any Table) async throws {
        let ids = traits.ids
        for (number, id) in ids.enumerated() {
            let outcome = try await create(id, "\"number\":\(number)", in: table)
            expect(outcome.ids, is: [id], "the id of a created row")
        }
        for (number, id) in ids.enumerated() {
            let row = try await table.row(id)
            expect(row?["number"], is: .integer(Int64(number)), "the row with the id \(id.value)")
            expect(row?.id, is: id, "its id")
        }
        let drafts = try [draft(json: "{}", in: table), draft(json: #"{"number":-1}"#, in: table)]
        let made = try await create(drafts, in: table)
        expect(Set(made.ids).count, is: 2, "ids the table chose")
        for id in made.ids { expect(try await table.row(id)?.id, is: id, "a row with a chosen id") }
        let withNull = try await table.commit(
            .create([draft(json: "{\"\(table.idColumn)\":null}", in: table)])
        )
        expect(withNull.ids.count, is: 1, "ids chosen for an id of null")
        if table.capabilities.binaryOrder {
            let sorted = (ids + made.ids + withNull.ids).sorted {
                Value.order($0.value, $1.value) == .ascending
            }
            expect(try await allIDs(Query(), of: table), is: sorted, "rows by id")
        }
        for id in ids {
            _ = try await table.commit(.delete(id))
            expect(try await table.row(id), is: nil, "the removed row \(id.value)")
        }
        expect(try await table.count(nil).value, is: 3, "the rows left")
    }

    func invalidRows(_ table: any Table) async throws {
        try await create(id("a"), #""name":"Ann""#, in: table)
        for text in ["", "[]", "1", "{\"a\":}", "{\"a\":1", "{} {}", "{\"a\":\"\u{1}\"}"] {
            await expect(.invalidRow, "a patch \(text)") { () throws(RemoteDataError) in
                try await table.commit(.update(id("a"), patch: patch(text)))
            }
        }
        await expect(.invalidRow, "a patch of another id") { () throws(RemoteDataError) in
            try await table.commit(.update(id("a"), patch: patch("{\"\(table.idColumn)\":\"b\"}")))
        }
        for text in ["[]", "null", "{", "{\"\(table.idColumn)\":1.5}", "{\"\(table.idColumn)\":\"\"}"] {
            await expect(.invalidRow, "a draft \(text)") { () throws(RemoteDataError) in
                try Draft(patch(text), idColumn: table.idColumn)
            }
        }
        expect(try await allIDs(Query(), of: table), is: [id("a")], "the rows")
        expect(try await table.row(id("a"))?["name"], is: "Ann", "the row after refused writes")
    }

    /// Turns any error into one of the table's type; what goes wrong here is the checker's own fault.
    func check<T>(_ body: () throws -> T) throws(RemoteDataError) -> T {
        do { return try body() } catch { throw RemoteDataError(.cancelled, "\(error)") }
    }
}
