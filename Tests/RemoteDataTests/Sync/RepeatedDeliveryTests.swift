import RemoteData
import RemoteDataTesting
import Testing

/// What was sent before and got no answer is sent again, while the first copy may still be on its way.
@Suite struct RepeatedDeliveryTests {
    private let patch = Array(#"{"name":"mine"}"#.utf8)[...]

    private func item(isRepeated: Bool, baseRevision: Revision? = nil) -> Delivery.Item {
        Delivery.Item(
            id: "a",
            change: QueuedChange(.update, patch),
            baseRevision: baseRevision,
            key: "k",
            isRepeated: isRepeated
        )
    }

    /// A table with one row, behind one that loses and holds, without idempotency keys.
    private func keyless() async throws -> (base: MemoryTable, remote: FaultyTable) {
        let base = MemoryTable("t")
        _ = try await base.commit(
            .create([Draft(Array(#"{"objectId":"a","name":"theirs"}"#.utf8)[...], idColumn: "objectId")])
        )
        var capabilities = Capabilities.full
        capabilities.idempotency = false
        return (base, FaultyTable(LimitedTable(base, to: capabilities)))
    }

    @Test func aCopyThatArrivesAfterTheRowWasLookedAtIsNotMadeTwice() async throws {
        let (base, remote) = try await keyless()
        remote.hold(.row)
        async let answer = Delivery(to: remote).send(item(isRepeated: true))
        await remote.waitForHeld()
        let late = try await base.commit(.update("a", patch: patch))
        remote.letAllGo()
        guard case .done(let row, _) = await answer else {
            Issue.record("The write was not made.")
            return
        }
        #expect(row?.revision == late.revision)
        #expect(try await base.changes(since: .zero, limit: 10).changes.count == 2)
    }

    @Test func aRowThatSomebodyChangesAfterItWasLookedAtIsAConflict() async throws {
        let (base, remote) = try await keyless()
        remote.hold(.row)
        async let answer = Delivery(to: remote).send(item(isRepeated: true))
        await remote.waitForHeld()
        _ = try await base.commit(.update("a", patch: Array(#"{"name":"hers"}"#.utf8)[...]))
        remote.heal()
        remote.letAllGo()
        guard case .conflict(let theirs) = await answer else {
            Issue.record("The other change was overwritten.")
            return
        }
        #expect(theirs?["name"] == "hers")
        #expect(try await base.row("a")?["name"] == "hers")
    }

    @Test func aCopyThatArrivesAfterItWasRefusedIsRefusedToo() async throws {
        let base = MemoryTable("t")
        guard case .conflict(nil) = await Delivery(to: base).send(item(isRepeated: false)) else {
            Issue.record("A row that is not there was changed.")
            return
        }
        // What was decided since, under another key.
        let decided = try Draft(Array(#"{"objectId":"a","name":"decided"}"#.utf8)[...], idColumn: "objectId")
        _ = try await base.commit(.upsert([decided]), idempotencyKey: "k2")
        await #expect(throws: RemoteDataError.self) {
            try await base.commit(.update("a", patch: patch), idempotencyKey: "k")
        }
        #expect(try await base.row("a")?["name"] == "decided")
    }
}
