import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataBackends

@Suite struct KintoPagingTests {
    private func page(
        _ shelf: KintoShelf,
        _ query: Query,
        _ start: PageRequest.Start = .offset(0),
        _ limit: Int = 3
    ) throws -> (ids: [String], parts: [String]) {
        var paging = try KintoPaging(
            PageRequest(query, start: start, limit: limit),
            limit: limit,
            KintoFilter(storage: .memory)
        )
        var parts: [String] = []
        while let part = paging.next() {
            parts.append("\(part.conditions.text.removingPercentEncoding ?? "-") \(part.sort) \(part.size)")
            try paging.take(try shelf.list(part))
        }
        return (paging.page.rows.map(\.id.description), parts)
    }

    private func query(_ sort: String, _ clause: String? = nil) throws -> Query {
        try Query(clause.map { try Where($0) }, sort: SortTerm.parse(sort))
    }

    /// Rows with ties, without values, and with text that no collation agrees on.
    private static func rows(_ random: inout SeededGenerator) -> [String] {
        (0..<18).map { number in
            var members = [#""id":"r\#(number)""#]
            if random.number(0..<4) > 0 {
                members.append(#""s":"\#(random.pick(["", "a", "B", "é", "a b"]))""#)
            }
            if random.number(0..<4) > 0 { members.append(#""n":\#(random.pick(["1", "2", "2.5", "-1"]))"#) }
            if random.number(0..<4) > 0 { members.append(#""b":\#(random.pick(["true", "false"]))"#) }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    /// Behind and in front of every row, in pages of every size, whatever the server's own limit.
    @Test(
        arguments: [
            "", "s", "s desc nulls first", "b, n desc nulls first", "n desc nulls first, s", "id desc",
            "n, id desc",
        ],
        [2, 1_000]
    )
    func pagesBehindAndInFrontOfEveryRow(sort: String, cap: Int) throws {
        var random = SeededGenerator(seed: 7)
        let shelf = try KintoShelf(Self.rows(&random), cap: cap)
        for clause in [nil, "n > 0 or s like 'a%'"] {
            let query = try query(sort, clause)
            let rows = shelf.rows.filter { query.filter?.matches($0) ?? true }
            let keys = rows.map { Key($0, sort: query.sort) }.sorted {
                Key.order($0, $1, sort: query.sort) == .ascending
            }
            let ids = keys.map(\.id.description)
            for (position, key) in keys.enumerated() {
                let limit = random.pick([1, 2, 7, 50])
                #expect(
                    try page(shelf, query, .after(key), limit).ids
                        == Array(ids.dropFirst(position + 1).prefix(limit))
                )
                #expect(
                    try page(shelf, query, .before(key), limit).ids
                        == Array(ids.prefix(position).suffix(limit))
                )
                #expect(
                    try page(shelf, query, .offset(position), limit).ids
                        == Array(ids.dropFirst(position).prefix(limit))
                )
            }
        }
    }

    @Test func theServerComparesWhatLiesBehindAKey() throws {
        let shelf = try KintoShelf([#"{"id":"a","n":1,"s":"x"}"#, #"{"id":"b","n":2,"s":"x"}"#])
        let key = Key(values: ["x", 1], id: "a")
        let parts = try page(shelf, query("s, n desc nulls first"), .after(key)).parts
        #expect(
            parts == [
                #"eq_s="x"&eq_n=1&gt_id="a" s,-n,id 3"#, #"eq_s="x"&lt_n=1 s,-n,id 3"#,
                #"gt_s="x" s,-n,id 3"#,
            ]
        )
        let before = try page(shelf, query("s"), .before(Key(values: ["x"], id: "b")), 1).parts
        #expect(before == [#"eq_s="x"&lt_id="b" -s,-id 1"#])
    }

    @Test func aClauseIsAddedWithoutSayingAnythingTwice() throws {
        let shelf = try KintoShelf([])
        let parts = try page(shelf, query("n", "n > 5 and s = 'x'"), .after(Key(values: [7], id: "a"))).parts
        #expect(
            parts == [
                #"eq_n=7&gt_n=5&lt_n=false&gt_id="a"&eq_s="x" n,id 3"#, #"gt_n=7&lt_n=false&eq_s="x" n,id 3"#,
            ]
        )
    }

    @Test func rowsThatTheServerCouldNotBeAskedForAreSampled() throws {
        let shelf = try KintoShelf((0..<9).map { #"{"id":"r\#($0)","s":"\#($0 % 3)"}"# })
        let found = try page(shelf, query("", "s like '%2'"), .offset(1), 1)
        #expect(found.ids == ["r5"])
        #expect(found.parts == [" id 200"])
    }

    @Test func behindMissingValuesNothingIsPassedOver() throws {
        let rows = [#"{"id":"a"}"#, #"{"id":"b"}"#, #"{"id":"c","s":"x"}"#, #"{"id":"d","s":"y"}"#]
        let sort = try query("s desc nulls first")
        let key = Key(values: [.null], id: "a")
        let found = try page(KintoShelf(rows), sort, .after(key))
        #expect(found.ids == ["b", "d", "c"])
        #expect(found.parts == [#"gt_s=true&gt_id="a" -s,id 200"#, "gt_s=true s 1", "max_s=true -s,id 2"])
        // A list lies between the two.
        let lists = try KintoShelf(rows + [#"{"id":"e","s":[1]}"#])
        let error = #expect(throws: RemoteDataError.self) { try page(lists, sort, .after(key)) }
        #expect(error?.code == .invalidRequest)
    }

    @Test func whatIsNotBehindMissingValuesIsLeftOut() throws {
        let shelf = try KintoShelf([
            #"{"id":"a"}"#, #"{"id":"b","s":[1]}"#, #"{"id":"c"}"#, #"{"id":"d","s":{}}"#,
        ])
        #expect(try page(shelf, query("s"), .after(Key(values: [.null], id: "a"))).ids == ["c"])
    }

    /// Rows that do not match may lie where the sort would not have them, also at the end of a list.
    @Test(arguments: [1, 1_000]) func rowsThatDoNotMatchDoNotHaveToBeInOrder(cap: Int) throws {
        let rows = [
            #"{"id":"a"}"#, #"{"id":"b"}"#, #"{"id":"c","s":"x"}"#, #"{"id":"d","s":null}"#,
            #"{"id":"e","s":"y"}"#,
        ]
        let shelf = try KintoShelf(rows, cap: cap)
        for (sort, ids) in [("s desc", ["e", "c"]), ("s nulls first", ["c", "e"]), ("s", ["c", "e"])] {
            #expect(try page(shelf, query(sort, "s is not null")).ids == ids)
        }
        #expect(throws: RemoteDataError.self) { try page(shelf, query("s desc", "s like '%' or n is null")) }
    }

    @Test func aRowThatMovesOnIsThereOnce() throws {
        var shelf = try KintoShelf(
            [#"{"id":"a","n":1}"#, #"{"id":"b","n":2}"#, #"{"id":"c","n":3}"#],
            cap: 2
        )
        var paging = try KintoPaging(
            PageRequest(query("n"), limit: 9),
            limit: 9,
            KintoFilter(storage: .memory)
        )
        let first = try #require(paging.next())
        try paging.take(try shelf.list(first))
        shelf.rows[0] = try Row.parse(Array(#"{"id":"a","n":9}"#.utf8)[...], idColumn: "id")
        shelf.revision = 2_000
        while let part = paging.next() { try paging.take(try shelf.list(part)) }
        #expect(paging.page.rows.map(\.id) == ["b", "c", "a"])
        // The page is told as of its first part.
        #expect(paging.page.revision == Revision(1_000))
    }

    @Test func aServerThatSendsNothingNewIsNotAskedForEver() throws {
        for rows in [[], [#"{"id":"a"}"#]] {
            var paging = try KintoPaging(
                PageRequest(Query(), limit: 9),
                limit: 9,
                KintoFilter(storage: .memory)
            )
            let error = #expect(throws: RemoteDataError.self) {
                for _ in 0..<3 where paging.next() != nil {
                    try paging.take(try KintoShelf.list(rows, hasMore: true))
                }
            }
            #expect(error?.code == .invalidAnswer)
        }
    }

    @Test func anyOffsetIsFine() throws {
        let shelf = try KintoShelf([#"{"id":"a"}"#, #"{"id":"b"}"#])
        for clause in [nil, "id like '%'"] {
            #expect(try page(shelf, query("", clause), .offset(.max)).ids == [])
        }
    }

    @Test func aKeyThatMayBeRoundedIsRefused() throws {
        let shelf = try KintoShelf([#"{"id":"a","n":18446744073709551615}"#])
        #expect(throws: RemoteDataError.self) {
            try page(shelf, query("n"), .after(Key(values: [.double(0x1p64)], id: "a")))
        }
    }

    @Test func removedRowsAreNone() throws {
        let list = try KintoShelf.list([
            #"{"id":"a","last_modified":1,"deleted":true}"#,
            #"{"id":"b","last_modified":2,"deleted":true,"n":1}"#,
            #"{"id":"c","last_modified":3,"deleted":false}"#,
        ])
        #expect(list.rows.map(\.id) == ["b", "c"])
        #expect(list.rows.map(\.revision) == [Revision(2), Revision(3)])
        #expect(list.items.map(\.isRemoved) == [true, false, false])
    }

    @Test func keysThatKintoCannotBeToldAreRefused() throws {
        for key in [Key(values: [.json("[1]")], id: "a"), Key(values: [1], id: 7)] {
            let error = #expect(throws: RemoteDataError.self) {
                try page(KintoShelf([]), query("n"), .after(key))
            }
            #expect(error?.code == .invalidRequest)
        }
    }
}
