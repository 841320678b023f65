import Foundation
import RemoteDataTesting
import Testing

@testable import RemoteData

/// A cache in two tables.
@Suite struct TableModelCacheTests {
    private let models = MemoryTable("models")
    private let lists = MemoryTable("lists")
    private var cache: TableModelCache { TableModelCache(models: models, lists: lists) }

    private func list(_ key: String) async throws -> [String]? {
        try await cache.list(key).map { $0.map { String(decoding: $0, as: UTF8.self) } }
    }

    private func model(_ id: ModelID, _ text: String) -> ModelCacheChange { .model(id, Data(text.utf8)) }

    @Test func aModelIsThereAsItWasWrittenLast() async throws {
        let (ada, song) = (ModelID("ada", of: "person"), ModelID("ada", of: "song"))
        try await cache.write([model(ada, #"{"age":1}"#), model(song, "{}"), model(ada, #"{"age":2}"#)])
        #expect(try await cache.model(ada) == Data(#"{"age":2}"#.utf8))
        #expect(try await cache.model(song) == Data("{}".utf8))
        #expect(try await cache.model("ada") == nil)
    }

    @Test func whatIsInAModelCanBeAskedForInTheTable() async throws {
        try await cache.write([model("a", #"{"name":"Ada"}"#), model("b", #"{"name":"Bob"}"#)])
        let count = try await models.count(Query(Where("model.name = 'Ada'")))
        #expect(count.value == 1)
    }

    @Test func aListHasItsModelsInOrderAsTheyAreNow() async throws {
        try await cache.write([
            model("a", "{}"), model("b", "{}"),
            .list(
                "all",
                [.model("b"), .data(Data(#"{"no":"id"}"#.utf8)), .model("a"), .model("b"), .model("c")]
            ),
            model("b", #"{"new":true}"#),
        ])
        #expect(try await list("all") == [#"{"new":true}"#, #"{"no":"id"}"#, "{}", #"{"new":true}"#])
        #expect(try await list("none") == nil)
    }

    @Test func moreModelsThanATableTakesAtOnceAreAllThere() async throws {
        let ids = (0..<1_234).map { ModelID("\($0)", of: "kind/of") }
        try await cache.write(
            ids.map { model($0, #"{"id":"\#($0.text)"}"#) } + [.list("all", ids.map { .model($0) })]
        )
        #expect(try await list("all") == ids.map { #"{"id":"\#($0.text)"}"# })
    }

    @Test func aDeletedModelThatComesAgainIsNotInTheListsItWasIn() async throws {
        let keys = (0..<120).map { "list \($0)" }
        try await cache.write(
            [model("a", "{}"), model("b", "{}")] + keys.map { .list($0, [.model("a"), .model("b")]) }
        )
        try await cache.write([.deleteModel("a"), .deleteModel("never"), model("a", "{}")])
        for key in keys { #expect(try await list(key) == ["{}"]) }
        #expect(try await cache.model("a") != nil)
    }

    @Test func aDeletedModelIsNotThere() async throws {
        try await cache.write([model("a", "{}"), model("b", "{}"), .deleteModel("a")])
        #expect(try await cache.model("a") == nil)
        #expect(try await cache.model("b") != nil)
        #expect(try await models.count(Query()).value == 1)
    }

    @Test func noMoreIsWrittenAtOnceThanTheTableTakes() async throws {
        var capabilities = Capabilities.full
        (capabilities.maximumBulkSize, capabilities.maximumPageSize) = (20, 7)
        let cache = TableModelCache(models: LimitedTable(models, to: capabilities), lists: lists)
        let ids = (0..<45).map { ModelID("\($0)") }
        try await cache.write(ids.map { model($0, "{}") } + [.list("all", ids.map { .model($0) })])
        #expect(try await cache.list("all")?.count == 45)
    }

    @Test func idsOfDifferentKindsNeverMeetInIt() async throws {
        let ids = [
            ModelID("b/c", of: "a"), ModelID("c", of: "a/b"), ModelID("c", of: "a%2Fb"), ModelID("a/b/c"),
        ]
        try await cache.write(ids.enumerated().map { model($0.element, "{\"n\":\($0.offset)}") })
        for (number, id) in ids.enumerated() {
            #expect(try await cache.model(id) == Data("{\"n\":\(number)}".utf8))
        }
    }
}
