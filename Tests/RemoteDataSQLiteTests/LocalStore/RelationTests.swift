import Foundation
import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// What a pinned row leads to is held with it.
struct RelationTests {
    private let relations: [Relation] = [
        .toOne("author", of: "notes", in: "people"), .toMany("tags", of: "notes", in: "tags"),
        .toOne("friend", of: "people", in: "people"), .toMany(from: "notes", in: "comments", by: "note"),
    ]

    private func store(_ path: String = ":memory:") async throws -> LocalStore {
        try await LocalStore(path: path, relations: relations)
    }

    private func write(_ store: LocalStore, _ table: String, _ rows: String...) async throws {
        _ = try await store.table(table).commit(.upsert(try rows.map { try draft($0) }))
    }

    private func pin(_ store: LocalStore, _ id: RowID, _ table: String = "notes", _ label: String = "l")
        async throws
    {
        try await store.pinAll([id], in: table, label: label)
    }

    private func held(_ store: LocalStore, _ label: String = "l") async throws -> [String] {
        var held: [String] = []
        for name in ["comments", "notes", "people", "tags"] {
            let page = try await store.table(name, label: label).page(PageRequest(Query(), limit: 1_000))
            held += page.rows.map { "\(name) \($0.id)" }
        }
        return held
    }

    @Test func whatARowLeadsToIsHeldWithIt() async throws {
        let store = try await store()
        try await write(store, "people", #"{"objectId":"ann","friend":"bob"}"#, #"{"objectId":"bob"}"#)
        try await write(store, "tags", #"{"objectId":"t1"}"#, #"{"objectId":"t2"}"#, #"{"objectId":"t3"}"#)
        try await write(store, "comments", #"{"objectId":"c1","note":"n"}"#, #"{"objectId":"c2","note":"m"}"#)
        try await write(store, "notes", #"{"objectId":"n","author":"ann","tags":["t1","t3"]}"#)
        try await pin(store, "n")
        #expect(
            try await held(store) == [
                "comments c1", "notes n", "people ann", "people bob", "tags t1", "tags t3",
            ]
        )
        try await store.unpinAll([RowID("n")], in: "notes", label: "l")
        #expect(try await held(store).isEmpty)
        #expect(try await store.labels().isEmpty)
    }

    @Test func rowsSentWithinOthersLeadToThem() async throws {
        let store = try await store()
        try await write(store, "people", #"{"objectId":"ann"}"#)
        try await write(store, "tags", #"{"objectId":"t1"}"#, #"{"objectId":2}"#)
        try await write(
            store,
            "notes",
            #"{"objectId":"n","author":{"objectId":"ann","x":1},"tags":[{"objectId":"t1"},2,null,["t1"],{}]}"#
        )
        try await pin(store, "n")
        #expect(try await held(store) == ["notes n", "people ann", "tags 2", "tags t1"])
    }

    @Test func circlesAreHeldAndLetGo() async throws {
        let store = try await store()
        try await write(
            store,
            "people",
            #"{"objectId":"a","friend":"b"}"#,
            #"{"objectId":"b","friend":"c"}"#,
            #"{"objectId":"c","friend":"a"}"#,
            #"{"objectId":"d","friend":"d"}"#
        )
        try await pin(store, "b", "people")
        try await pin(store, "d", "people")
        #expect(try await held(store) == ["people a", "people b", "people c", "people d"])
        try await store.unpinAll([RowID("d")], in: "people", label: "l")
        try await pin(store, "a", "people")
        try await store.unpinAll([RowID("b")], in: "people", label: "l")
        #expect(try await held(store) == ["people a", "people b", "people c"])
        try await store.unpinAll([RowID("a")], in: "people", label: "l")
        #expect(try await held(store).isEmpty)
    }

    @Test func whatAnotherRowLeadsToStays() async throws {
        let store = try await store()
        try await write(store, "people", #"{"objectId":"ann"}"#)
        try await write(
            store,
            "notes",
            #"{"objectId":"m","author":"ann"}"#,
            #"{"objectId":"n","author":"ann"}"#
        )
        try await pin(store, "n")
        try await pin(store, "m")
        try await store.unpinAll([RowID("n")], in: "notes", label: "l")
        #expect(try await held(store) == ["notes m", "people ann"])
    }

    @Test func whatIsPinnedByNameStaysWhenNothingLeadsToItAnyMore() async throws {
        let store = try await store()
        try await write(store, "people", #"{"objectId":"ann"}"#)
        try await write(store, "notes", #"{"objectId":"n","author":"ann"}"#)
        try await pin(store, "n")
        try await pin(store, "ann", "people")
        try await store.unpinAll([RowID("n")], in: "notes", label: "l")
        #expect(try await held(store) == ["people ann"])
    }

    @Test func toUnpinWhatOthersLeadToKeepsIt() async throws {
        let store = try await store()
        try await write(store, "people", #"{"objectId":"ann"}"#)
        try await write(store, "notes", #"{"objectId":"n","author":"ann"}"#)
        try await pin(store, "n")
        try await pin(store, "ann", "people")
        try await store.unpinAll([RowID("ann")], in: "people", label: "l")
        #expect(try await held(store) == ["notes n", "people ann"])
        try await store.unpinAll([RowID("n")], in: "notes", label: "l")
        #expect(try await held(store).isEmpty)
    }

    @Test func aRowThatComesLaterIsHeldWithWhatItLeadsTo() async throws {
        let store = try await store()
        try await pin(store, "n")
        try await write(store, "people", #"{"objectId":"bob"}"#, #"{"objectId":"eve"}"#)
        try await write(store, "notes", #"{"objectId":"n","author":"ann"}"#)
        try await write(store, "people", #"{"objectId":"ann","friend":"bob"}"#)
        try await write(store, "comments", #"{"objectId":"c1","note":"n"}"#)
        #expect(try await held(store) == ["comments c1", "notes n", "people ann", "people bob"])
    }

    @Test func whatARowLeadsToFollowsItsChanges() async throws {
        let store = try await store()
        try await write(store, "people", #"{"objectId":"ann"}"#, #"{"objectId":"bob"}"#)
        try await write(store, "notes", #"{"objectId":"n","author":"ann"}"#, #"{"objectId":"m"}"#)
        try await write(store, "comments", #"{"objectId":"c","note":"n"}"#)
        try await pin(store, "n")
        try await write(store, "notes", #"{"objectId":"n","author":"bob"}"#)
        #expect(try await held(store) == ["comments c", "notes n", "people bob"])
        try await write(store, "comments", #"{"objectId":"c","note":"m"}"#)
        #expect(try await held(store) == ["notes n", "people bob"])
        _ = try await store.table("notes").commit(.delete("n"))
        #expect(try await held(store).isEmpty)
    }

    @Test func otherRelationsFindAnewWhatIsHeld() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        var store = try await LocalStore(path: path)
        try await write(store, "people", #"{"objectId":"ann","friend":"bob"}"#, #"{"objectId":"bob"}"#)
        try await write(store, "notes", #"{"objectId":"n","author":"ann"}"#)
        try await pin(store, "n")
        #expect(try await held(store) == ["notes n"])
        await store.close()
        store = try await self.store(path)
        #expect(try await held(store) == ["notes n", "people ann", "people bob"])
        await store.close()
        store = try await LocalStore(path: path, relations: [relations[0]])
        #expect(try await held(store) == ["notes n", "people ann"])
        await store.close()
        store = try await LocalStore(path: path)
        #expect(try await held(store) == ["notes n"])
    }

    /// Rows that lead to others at random are pinned, unpinned and changed; what is held is what the roots lead to.
    @Test(arguments: UInt64(0)..<20) func whatIsHeldIsWhatTheRootsLeadTo(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let store = try await LocalStore(
            path: ":memory:",
            relations: [.toMany("to", of: "p", in: "p"), .toMany(from: "p", in: "p", by: "up")]
        )
        let table = try store.table("p")
        var rows: [Int: (to: [Int], up: Int?)] = [:]
        var roots: [String: Set<Int>] = ["l": [], "m": []]
        for _ in 0..<80 {
            let id = Int.random(in: 0..<10, using: &random)
            let label = Bool.random(using: &random) ? "l" : "m"
            switch Int.random(in: 0..<7, using: &random) {
            case 0, 1, 2:
                let to = (0..<Int.random(in: 0..<3, using: &random)).map { _ in
                    Int.random(in: 0..<10, using: &random)
                }
                let up = Bool.random(using: &random) ? Int.random(in: 0..<10, using: &random) : nil
                rows[id] = (to, up)
                let json = "{\"objectId\":\(id),\"to\":\(to),\"up\":\(up.map { "\($0)" } ?? "null")}"
                _ = try await table.commit(.upsert([draft(json)]))
            case 3, 4:
                roots[label]?.insert(id)
                try await store.pinAll([RowID.integer(Int64(id))], in: "p", label: label)
            case 5:
                roots[label]?.remove(id)
                try await store.unpinAll([RowID.integer(Int64(id))], in: "p", label: label)
            default:
                guard rows[id] != nil else { continue }
                rows[id] = nil
                for label in roots.keys { roots[label]?.remove(id) }
                _ = try await table.commit(.delete(.integer(Int64(id))))
            }
            for (label, roots) in roots {
                var (reached, open) = (Set<Int>(), Array(roots))
                while let next = open.popLast() {
                    guard reached.insert(next).inserted else { continue }
                    open += rows[next]?.to ?? []
                    open += rows.filter { $0.value.up == next }.map(\.key)
                }
                let expected = reached.filter { rows[$0] != nil }.sorted()
                let page = try await store.table("p", label: label).page(PageRequest(Query(), limit: 1_000))
                #expect(page.rows.map { $0["objectId"] } == expected.map { .integer(Int64($0)) }, "\(label)")
            }
        }
    }
}
