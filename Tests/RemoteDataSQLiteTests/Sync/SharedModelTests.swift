import RemoteData
import RemoteDataSQLite
import RemoteDataTesting
import Testing

/// Tables of a store, synced or not, and those who hold models of their rows.
@Suite struct SharedModelTests {
    private struct Task: ConsistentModel, Codable, Identifiable, Equatable {
        var objectId: String
        var title: String
        var id: String { objectId }
        var modelID: ModelID? { ModelID(objectId, of: "task") }
    }

    private let space = ModelSpace()
    private let milk = Task(objectId: "m", title: "Milk")

    private func provider() -> DataProvider<Task> {
        let provider = DataProvider<Task>(space)
        provider.set(milk)
        return provider
    }

    private func draft(_ title: String) throws -> Draft {
        try Draft(Array(#"{"objectId":"m","title":"\#(title)"}"#.utf8)[...], idColumn: "objectId")
    }

    private func rename(_ title: String) -> Mutation {
        .update("m", patch: Array(#"{"title":"\#(title)"}"#.utf8)[...])
    }

    /// Does something again and again until a provider has a title.
    private func until(
        _ title: String?,
        _ provider: DataProvider<Task>,
        _ body: () async throws -> Void = {}
    ) async throws {
        while provider.data?.title != title {
            try await body()
            await space.settled()
        }
    }

    @Test(.timeLimit(.minutes(1))) func aReplicaTellsWhatIsWrittenHereAndThere() async throws {
        let remote = MemoryTable("tasks")
        _ = try await remote.commit(.create([try draft("Milk")]))
        let store = try await LocalStore(path: ":memory:")
        let tasks = try await SyncedTable("tasks", in: store, remote: remote)
        try await tasks.pull()
        let following = space.follow(tasks, as: Task.self)
        let provider = provider()
        try await until("Oat milk", provider) { _ = try await tasks.commit(rename("Oat milk")) }
        // What is on its way would be newer than what others write there.
        while try await store.outbox.pendingCount > 0 { await space.settled() }
        _ = try await remote.commit(rename("Soy milk"))
        try await until("Soy milk", provider) { try await tasks.pull() }
        _ = try await tasks.commit(.delete("m"))
        try await until(nil, provider)
        following.cancel()
    }

    @Test(.timeLimit(.minutes(1))) func aQueryOfAStoreShowsWhatProvidersAreGiven() async throws {
        let store = try await LocalStore(path: ":memory:")
        let table = try store.table("tasks")
        _ = try await table.commit(.create([try draft("Milk")]))
        var options = CollectionOptions()
        options.space = space
        let tasks = try await RemoteDataCollection<Task>(
            table: table,
            where: "title like '%ilk'",
            options: options
        )
        #expect(try await tasks.row(at: 0) == milk)
        let provider = provider()
        provider.set(Task(objectId: "m", title: "Bread"))
        while tasks.count > 0 { await space.settled() }
        _ = try await tasks.add(Task(objectId: "n", title: "Oat milk"))
        let other = try await RemoteDataCollection<Task>(table: store.table("tasks"), options: options)
        _ = try await other.row(at: 1)
        try await other.update(Task(objectId: "n", title: "Soy milk"))
        while try await tasks.row(at: 0).title != "Soy milk" { await space.settled() }
        try await until("Rye", provider) { try await other.update(Task(objectId: "m", title: "Rye")) }
    }

    @Test func modelsAreThereTheNextTime() async throws {
        let store = try await LocalStore(path: ":memory:")
        let space = try ModelSpace(store: store)
        let first = CollectionDataProvider<Task>(space)
        first.set([milk], cacheKey: "all")
        await space.settled()
        let second = CollectionDataProvider<Task>(try ModelSpace(store: store))
        try await second.fetchFromCache("all")
        #expect(Array(second.data) == [milk])
    }
}
