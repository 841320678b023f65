import Synchronization
import Testing

@testable import RemoteData

/// Queries of much work over tables in memory.
struct MemoryQueryBudgetTests {
    private let clause = "s MATCHES '(.{0,60}){0,60}Q'"

    private func table(_ size: Int) async throws -> MemoryTable {
        let table = MemoryTable("t")
        let text = String(repeating: "x", count: size)
        for id in 1...2 {
            _ = try await table.commit(.create([try draft(#"{"objectId":\#(id),"s":"\#(text)"}"#)]))
        }
        return table
    }

    @Test("A query that takes long is answered as any other")
    func slow() async throws {
        let table = try await table(1_600)
        let filter = try Where("s > '' AND NOT \(clause)")
        let budget = WorkBudget(within: nil)
        let count = try await WorkBudget.$current.withValue(budget) { try await table.count(Query(filter)) }
            .value
        #expect(count == 2)
        // More than a query has among those that are quick.
        #expect(budget.taken.load(ordering: .relaxed) > 2 * WorkBudget.quickSteps)
    }

    private func code(_ body: () async throws -> Void) async -> RemoteDataError.Code? {
        do { try await body() } catch { return (error as? RemoteDataError)?.code }
        return nil
    }

    @Test("A query whose budget is used up is refused, and one that was cancelled has ended")
    func usedUp() async throws {
        let table = try await table(200)
        let filter = try Where(clause)
        await WorkBudget.$current.withValue(WorkBudget(steps: 1_000)) {
            #expect(await code { _ = try await table.count(Query(filter)) } == .unavailable)
            let sorted = PageRequest(Query(nil, sort: [SortTerm("s")]))
            #expect(await code { _ = try await table.page(sorted) } == .unavailable)
        }
    }

    @Test("A write by clause whose budget is used up changes nothing")
    func write() async throws {
        let table = try await table(200)
        let filter = try Where("objectId = 1 OR \(clause)")
        await WorkBudget.$current.withValue(WorkBudget(steps: 1_000)) {
            #expect(await code { _ = try await table.commit(.deleteAll(filter)) } == .unavailable)
            let update = Mutation.updateAll(filter, patch: Array(#"{"s":""}"#.utf8)[...])
            #expect(await code { _ = try await table.commit(update) } == .unavailable)
        }
        #expect(try await table.count(nil).value == 2)
        #expect(try await table.count(Query(try Where("s = ''"))).value == 0)
    }

    @Test("A removal by clause is made whole or not at all, wherever its budget ends")
    func removal() async throws {
        let filter = try Where("s > ''")
        for steps in stride(from: 0, through: 4_000, by: 50) {
            let table = try await table(200)
            let feed = try await table.subscribe(to: Query(), since: nil)
            let refusal = await WorkBudget.$current.withValue(WorkBudget(steps: steps)) {
                await code { _ = try await table.commit(.deleteAll(filter), idempotencyKey: "k") }
            }
            #expect(try await table.count(nil).value == (refusal == nil ? 0 : 2))
            let events = await feed.nextBatch().filter { if case .change = $0 { true } else { false } }
            #expect(events.count == (refusal == nil ? 1 : 0))
            // What was refused for want of work is not the answer to its key.
            #expect(try await table.commit(.deleteAll(filter), idempotencyKey: "k").count == 2)
        }
    }

    @Test("Rows that a removal takes are not counted by clauses of much work")
    func counts() throws {
        let text = String(repeating: "x", count: 20_000)
        let row = Row(id: 1, json: Array(#"{"s":"\#(text)"}"#.utf8)[...])
        let cheap = try Where("s > ''")
        var counts = FilterCounts([cheap])
        counts.add(row)
        #expect(counts.counts == [cheap: 1])
        counts = FilterCounts([cheap, try Where(clause)])
        counts.add(row)
        counts.add(row)
        #expect(counts.counts.isEmpty)
    }
}
