import Foundation
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

    @Test("Rows that were made by one key are not made again by keys of their own")
    func rowsThatWereMadeByOneKey() async throws {
        var capabilities = Capabilities.full
        capabilities.idempotency = false
        let remote = FaultyTable(MemoryTable("t"), capabilities: capabilities)
        remote.fail(.commit, with: RemoteDataError(.alreadyExists, "It is there.", status: 400))
        let items = ["a", "b"]
            .map { key in
                let body = Array("{\"objectId\":\"\(key)\"}".utf8)[...]
                let change = QueuedChange(.create, body)
                return Delivery.Item(
                    id: .text(key),
                    change: change,
                    baseRevision: nil,
                    key: key,
                    isRepeated: true
                )
            }
        let answers = await Delivery(to: remote, sendsIDs: false).create(items, key: "k-2")
        let refused = answers.count { if case .refused = $0 { true } else { false } }
        #expect(refused == 2)
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

    // MARK: Rows known without a revision of their own

    /// A write over a row that was created together with others, of which the first one's revision is known.
    private func write(_ kind: QueuedChange.Kind) -> Delivery.Item {
        let body = Array(#"{"objectId":"a","name":"theirs"}"#.utf8)[...]
        return Delivery.Item(
            id: "a",
            change: QueuedChange(kind, kind == .delete ? [] : patch),
            baseRevision: nil,
            key: "k",
            isRepeated: false,
            seen: Delivery.Item.Seen(body, asOf: .zero)
        )
    }

    @Test(arguments: [QueuedChange.Kind.update, .delete])
    func anUnchangedRowIsWrittenAtAnyRevision(kind: QueuedChange.Kind) async throws {
        let (base, _) = try await keyless()
        guard case .done = await Delivery(to: base).send(write(kind)) else {
            Issue.record("\(kind) was not made.")
            return
        }
        #expect(try await base.row("a")?["name"] == (kind == .delete ? nil : "mine"))
    }

    @Test(arguments: [QueuedChange.Kind.update, .delete])
    func aRowThatIsNotAsItWasSentIsAConflict(kind: QueuedChange.Kind) async throws {
        let (base, _) = try await keyless()
        _ = try await base.commit(.update("a", patch: Array(#"{"name":"hers"}"#.utf8)[...]))
        guard case .conflict(let theirs) = await Delivery(to: base).send(write(kind)) else {
            Issue.record("\(kind) was made over what others have written.")
            return
        }
        #expect(theirs?["name"] == "hers")
    }

    // MARK: Servers that have forgotten the keys

    /// What comes of a creation that is there already by the server's word, and that cannot be seen.
    private func creation(isRepeated: Bool, attempts: Int, look: RemoteDataError?) async -> Delivery.Answer {
        let table = FaultyTable(MemoryTable("t"))
        table.fail(.commit, with: RemoteDataError(.alreadyExists, "It is there.", attempts: attempts))
        if let look { table.fail(.row, with: look) }
        let id = UUID().uuidString
        let item = Delivery.Item(
            id: .text(id),
            change: QueuedChange(.create, Array("{\"objectId\":\"\(id)\"}".utf8)[...]),
            baseRevision: nil,
            key: "k",
            isRepeated: isRepeated
        )
        return await Delivery(to: table).send(item)
    }

    @Test(arguments: [(true, 1), (false, 2)], [RemoteDataError(.forbidden, "Not yours."), nil])
    func aCreationThatWasSentTwiceHasArrived(
        sent: (isRepeated: Bool, attempts: Int),
        look: RemoteDataError?
    ) async {
        let answer = await creation(isRepeated: sent.isRepeated, attempts: sent.attempts, look: look)
        guard case .done(nil, nil) = answer else {
            Issue.record("It was answered with \(answer).")
            return
        }
    }

    @Test(arguments: [RemoteDataError(.forbidden, "Not yours."), nil])
    func aCreationThatWasSentOnceHasNotArrived(look: RemoteDataError?) async {
        guard case .refused(let error) = await creation(isRepeated: false, attempts: 1, look: look) else {
            Issue.record("It was taken for made.")
            return
        }
        #expect(error.code == .alreadyExists)
    }
}
