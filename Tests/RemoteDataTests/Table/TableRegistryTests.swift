import Synchronization
import Testing

@testable import RemoteData

@Suite struct TableRegistryTests {
    private final class Entry: Sendable {
        let isWritten = Atomic(false)
    }

    private func registry() -> TableRegistry<Entry> {
        TableRegistry { !$0.isWritten.load(ordering: .relaxed) }
    }

    @Test("Entries that are idle and not in use are dropped")
    func idleEntriesAreDropped() throws {
        var registry = registry()
        for number in 0..<100_000 { _ = try registry.entry("t\(number)") { Entry() } }
        #expect(registry.all.count <= 64)
    }

    @Test("Entries that are in use or written to stay")
    func entriesInUseStay() throws {
        var registry = registry()
        let held = try registry.entry("held") { Entry() }
        try registry.entry("written") { Entry() }.isWritten.store(true, ordering: .relaxed)
        weak let written = registry["written"]
        for number in 0..<1_000 { _ = try registry.entry("t\(number)") { Entry() } }
        let again = try registry.entry("held") { Entry() }
        #expect(again === held)
        #expect(registry["held"] === held && written != nil && registry["written"] === written)
    }

    @Test("A store has its limit of tables, and names alone do not reach it")
    func tablesHaveALimit() throws {
        var registry = registry()
        for number in 0..<TableRegistry<Entry>.limit - 1 {
            try registry.entry("t\(number)") { Entry() }.isWritten.store(true, ordering: .relaxed)
        }
        for number in 0..<100 { _ = try registry.entry("none\(number)") { Entry() } }
        let last = try registry.entry("last") { Entry() }
        var error: RemoteDataError?
        do throws(RemoteDataError) { _ = try registry.entry("more") { Entry() } } catch let refusal {
            error = refusal
        }
        #expect(error?.code == .tooLarge)
        #expect(registry["t5"] != nil && registry["last"] === last)
    }
}
