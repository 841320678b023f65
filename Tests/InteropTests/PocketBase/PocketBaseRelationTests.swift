import Foundation
import ProgramTesting
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import Testing

/// Columns that PocketBase evaluates and does not send: those of related rows, and hidden ones.
@Suite(.enabled(if: Interop.directory != nil), .timeLimit(.minutes(2))) struct PocketBaseRelationTests {
    private struct Item: Codable, Identifiable, Sendable {
        var id: String?
        var title: String
    }

    private static let rules = ["list", "view", "create", "update", "delete"].map { #""\#($0)Rule":"""# }
        .joined(separator: ",")

    /// Six items, each with an author whose title sorts otherwise than the item's id.
    private func items() async throws -> (PocketBase, PocketBaseTable) {
        let pocketBase = try await PocketBase()
        func make(_ name: String, _ fields: String) async throws {
            let body = #"{"name":"\#(name)","type":"base",\#(Self.rules),"fields":[\#(fields)]}"#
            try await pocketBase.call("POST", "/api/collections", body)
        }
        try await make("authors", #"{"name":"title","type":"text"},{"name":"j","type":"json"}"#)
        let answer = try await pocketBase.call("GET", "/api/collections/authors")
        let authors = try Row.parse(answer.body[...], idColumn: "id").id.description
        let relation = #""type":"relation","collectionId":"\#(authors)""#
        let fields = [
            #"{"name":"title","type":"text"}"#, #"{"name":"rel",\#(relation),"maxSelect":1}"#,
            #"{"name":"rels",\#(relation),"maxSelect":9}"#, #"{"name":"j","type":"json"}"#,
            #"{"name":"place","type":"geoPoint"}"#,
            #"{"name":"tags","type":"select","values":["a","b"],"maxSelect":2}"#,
        ]
        try await make("items", fields.joined(separator: ","))
        for (number, title) in ["c", "a", "f", "b", "e", "d"].enumerated() {
            let (author, item) = ("author00000000\(number)", "item0000000000\(number)")
            try await pocketBase.call(
                "POST",
                "/api/collections/authors/records",
                #"{"id":"\#(author)","title":"\#(title)","j":{"x":\#(number)}}"#
            )
            let members = [
                #""id":"\#(item)""#, #""title":"\#(title)""#, #""rel":"\#(author)""#,
                #""rels":["\#(author)"]"#, #""j":{"k":\#(9 - number),"o":{"p":\#(number)}}"#,
                #""place":{"lon":\#(number),"lat":2}"#, #""tags":["\#(number % 2 == 0 ? "a" : "b")"]"#,
            ]
            let body = "{\(members.joined(separator: ","))}"
            try await pocketBase.call("POST", "/api/collections/items/records", body)
        }
        return (pocketBase, pocketBase.server.table("items"))
    }

    /// The errors of a count, a page, a subscription and a collection of a query.
    private func codes(_ table: PocketBaseTable, where clause: String = "", sort: String = "") async throws
        -> [RemoteDataError.Code?]
    {
        let query = Query(try Where.parse(clause), sort: try SortTerm.parse(sort))
        var codes: [RemoteDataError.Code?] = []
        func note(_ body: () async throws(RemoteDataError) -> Void) async {
            do throws(RemoteDataError) {
                try await body()
                codes.append(nil)
            } catch { codes.append(error.code) }
        }
        await note { () async throws(RemoteDataError) in _ = try await table.count(query) }
        await note { () async throws(RemoteDataError) in _ = try await table.page(PageRequest(query)) }
        await note { () async throws(RemoteDataError) in
            _ = try await table.subscribe(to: query, since: nil)
        }
        await note { () async throws(RemoteDataError) in
            _ = try await RemoteDataCollection<Item>(table: table, where: clause, sort: sort)
        }
        return codes
    }

    @Test(
        "A sort or a clause by columns of related rows is refused",
        arguments: [
            ("", "rel.title desc"), ("", "rel.title"), ("", "title, rel.id"), ("", "rel.j.x"),
            ("", "rels.title"),
            ("rel.title <= 'c'", ""), ("title = 'a' and not (rel.title = 'b')", ""), ("rels.title = 'a'", ""),
            ("rel.title like 'a%' or title = 'b'", ""), ("rel.title matches 'a'", ""),
            ("rel.title = title", ""),
        ]
    ) func columnsOfRelatedRowsAreRefused(clause: String, sort: String) async throws {
        let (pocketBase, table) = try await items()
        defer { withExtendedLifetime(pocketBase) {} }
        #expect(
            try await codes(table, where: clause, sort: sort)
                == Array(repeating: RemoteDataError.Code.invalidClause, count: 4)
        )
    }

    @Test(
        "Columns of rows that refer to a row are refused",
        arguments: [
            ("", "items_via_rel.title"), ("items_via_rel.title = 'a'", ""),
        ]
    ) func columnsOfReferringRowsAreRefused(clause: String, sort: String) async throws {
        let (pocketBase, _) = try await items()
        defer { withExtendedLifetime(pocketBase) {} }
        let codes = try await codes(pocketBase.server.table("authors"), where: clause, sort: sort)
        #expect(codes == Array(repeating: RemoteDataError.Code.invalidClause, count: 4))
    }

    @Test("The refusal suggests what to write instead") func aRefusalSuggestsAClause() async throws {
        let (pocketBase, table) = try await items()
        defer { withExtendedLifetime(pocketBase) {} }
        do {
            _ = try await table.count(Query(sort: [SortTerm(ColumnPath(names: ["rel", "title"]))]))
            Issue.record("It is counted.")
        } catch {
            #expect(error.message.contains("rel.title"))
            #expect(error.message.contains("columns of items itself"))
        }
    }

    @Test("The program fails and prints no rows") func liveTableRefusesRelatedRows() async throws {
        let (pocketBase, _) = try await items()
        let file = FileManager.default.temporaryDirectory.appending(path: "interop-\(UUID().uuidString)")
        try Data("_superusers/\(PocketBase.email)\n\(PocketBase.password)\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let end = try await Program.run(
            "live-table",
            [
                "pocketbase:\(pocketBase.process.url)/items", "list", "--sort", "rel.title desc",
                "--account-file", file.path,
            ]
        )
        #expect((end.status, end.output) == (1, ""))
        #expect(end.errors.contains("rel.title"), "\(end.errors)")
    }

    @Test(
        "Paths into JSON and places mean the same to the server",
        arguments: [
            ("j.k > 5", "j.k desc"), ("j.o.p < 3 and title <> 'x'", "j.o.p"), ("", "place.lon desc"),
            ("place.lon between 1 and 4", "title"), ("tags contains 'a'", ""), ("j.k = 3 or j.k is null", ""),
        ]
    ) func pathsIntoJSONAreTaken(clause: String, sort: String) async throws {
        let (pocketBase, table) = try await items()
        defer { withExtendedLifetime(pocketBase) {} }
        let query = Query(try Where.parse(clause), sort: try SortTerm.parse(sort))
        let all = try await table.page(PageRequest(Query(), limit: 100)).rows
        let right = all.filter { query.filter?.matches($0) ?? true }
            .sorted {
                Key.order(Key($0, sort: query.sort), Key($1, sort: query.sort), sort: query.sort)
                    == .ascending
            }
        var (found, start) = ([Row](), PageRequest.Start.offset(0))
        while case let page = try await table.page(PageRequest(query, start: start, limit: 2)).rows,
            let last = page.last
        {
            found += page
            start = .after(Key(last, sort: query.sort))
        }
        #expect(found.map(\.id) == right.map(\.id))
        #expect(try await codes(table, where: clause, sort: sort) == [nil, nil, nil, nil])
    }

    @Test(
        "Unknown columns are named, even if the clause is evaluated locally",
        arguments: [
            ("nope contains 'a'", ""), ("nope.x = 1", ""), ("title.x = 1", ""),
            (#""@request".auth.id = 'x'"#, ""),
            (#""@collection".authors.title = 'a'"#, ""), (#""title:lower" = 'a'"#, ""), (#""true" = 1"#, ""),
            ("TITLE = 'a'", ""), ("collectionName = 'items'", ""), ("", "nope"), ("", #""@random""#),
            ("", #""@rowid""#), ("title = 'a' or nope matches 'x'", ""),
        ]
    ) func unknownColumnsAreNamed(clause: String, sort: String) async throws {
        let (pocketBase, table) = try await items()
        defer { withExtendedLifetime(pocketBase) {} }
        #expect(
            try await codes(table, where: clause, sort: sort)
                == Array(repeating: RemoteDataError.Code.unknownColumn, count: 4)
        )
    }
}

// MARK: - Hidden columns

extension PocketBaseRelationTests {
    private func users(_ pocketBase: PocketBase) async throws {
        try await pocketBase.call("PATCH", "/api/collections/users", #"{"listRule":"","viewRule":""}"#)
        for number in 0..<4 {
            let password = #""password":"correct horse","passwordConfirm":"correct horse""#
            let body = #""email":"u\#(number)@example.com","emailVisibility":\#(number != 1)"#
            try await pocketBase.call("POST", "/api/collections/users/records", "{\(body),\(password)}")
        }
    }

    @Test("A sort by a column that some rows lack is refused", arguments: ["email", "email nulls first"])
    func aSortByAHiddenColumnIsRefused(sort: String) async throws {
        let pocketBase = try await PocketBase()
        try await users(pocketBase)
        defer { withExtendedLifetime(pocketBase) {} }
        let guests = try PocketBaseServer(pocketBase.process.url).table("users")
        let query = Query(sort: try SortTerm.parse(sort))
        do throws(RemoteDataError) {
            let page = try await guests.page(PageRequest(query, limit: 2))
            Issue.record("\(page.rows.count) rows come.")
        } catch {
            #expect(error.code == .invalidRequest)
            #expect(error.message.contains("email"))
        }
    }

    @Test("A clause on a column that rows lack is refused")
    func aClauseOnAHiddenColumnIsRefused() async throws {
        let pocketBase = try await PocketBase()
        try await users(pocketBase)
        defer { withExtendedLifetime(pocketBase) {} }
        let found = try await codes(pocketBase.server.table("users"), where: "tokenKey <> 'x'")
        #expect(found == Array(repeating: RemoteDataError.Code.invalidClause, count: 4))
        #expect(
            try await codes(pocketBase.server.table("users"), where: "email <> 'x'") == [nil, nil, nil, nil]
        )
        let guests = try PocketBaseServer(pocketBase.process.url).table("users")
        #expect(try await codes(guests, where: "email like 'u%' or name = 'x'") == [nil, nil, nil, nil])
    }
}
