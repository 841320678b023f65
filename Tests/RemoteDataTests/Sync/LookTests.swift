import Foundation
import RemoteData
import RemoteDataTesting
import Testing

/// A look at a row settles a write by what it finds, and by nothing else.
@Suite struct LookTests {
    private static let errors: [RemoteDataError] = [
        RemoteDataError(.notFound, "There is no such table.", status: 404),
        RemoteDataError(.forbidden, "Not yours.", status: 403), RemoteDataError(.gone, "Gone.", status: 410),
        RemoteDataError(.invalidRequest, "What?", status: 400), RemoteDataError(.rejected, "No."),
        RemoteDataError(.tooLarge, "Too much.", status: 413),
    ]
    private static let passing: [RemoteDataError] = [
        RemoteDataError(.unreachable, "No."), RemoteDataError(.timedOut, "Hm."),
        RemoteDataError(.unavailable, "Later.", status: 503),
        RemoteDataError(.unauthorized, "Who?", status: 401), RemoteDataError(.invalidAnswer, "Hello!"),
        RemoteDataError(.rateLimited, "Slow.", status: 429),
        RemoteDataError(.storage, "The server's disk is full.", status: 500),
    ]
    private static let kinds: [QueuedChange.Kind] = [.create, .upsert, .update, .delete]
    private static let body = Array(#"{"objectId":"a","name":"mine"}"#.utf8)[...]

    private static let old = Array(#"{"objectId":"a","name":"old"}"#.utf8)[...]

    private func item(
        _ kind: QueuedChange.Kind,
        id: RowID = "a",
        over revision: Revision? = nil,
        isRepeated: Bool = true,
        replaced: ArraySlice<UInt8>? = nil
    ) -> Delivery.Item {
        let body: ArraySlice<UInt8> =
            switch kind {
            case .create, .upsert: Self.body
            case .update: Array(#"{"name":"mine"}"#.utf8)[...]
            case .delete: []
            }
        let change = QueuedChange(kind, body)
        return Delivery.Item(
            id: id,
            change: change,
            baseRevision: revision,
            key: "k",
            isRepeated: isRepeated,
            replaced: replaced
        )
    }

    /// A table with a row where the write needs one, whose rows cannot be looked at.
    private func table(
        _ kind: QueuedChange.Kind,
        keys: Bool,
        _ error: RemoteDataError
    ) async throws -> FaultyTable {
        let base = MemoryTable("t")
        if kind == .update || kind == .delete {
            let row = try Draft(Array(#"{"objectId":"a","name":"old"}"#.utf8)[...], idColumn: "objectId")
            _ = try await base.commit(.create([row]))
        }
        var capabilities = Capabilities.full
        capabilities.idempotency = keys
        let table = FaultyTable(LimitedTable(base, to: capabilities))
        for call in [FaultyTable.Call.row, .page, .count] { table.fail(call, with: error) }
        return table
    }

    @Test("A write that may not be looked for is sent", arguments: errors.indices, kinds)
    func refusedLook(error: Int, kind: QueuedChange.Kind) async throws {
        for keys in [true, false] {
            let table = try await table(kind, keys: keys, Self.errors[error])
            guard case .done = await Delivery(to: table).send(item(kind)) else {
                Issue.record("\(kind) was not made after \(Self.errors[error]).")
                return
            }
            #expect(table.count(of: .commit) == 1)
        }
    }

    @Test("A look that fails for a reason that may pass is made again", arguments: passing.indices, kinds)
    func failedLook(error: Int, kind: QueuedChange.Kind) async throws {
        let table = try await table(kind, keys: true, Self.passing[error])
        guard case .failed(let failure) = await Delivery(to: table).send(item(kind)) else {
            Issue.record("\(kind) was decided by \(Self.passing[error]).")
            return
        }
        #expect(failure.code == Self.passing[error].code)
        #expect(table.count(of: .commit) == 0)
    }

    @Test("Rows that may not be looked for are sent together again", arguments: errors.indices)
    func refusedLookAtSeveral(error: Int) async throws {
        for keys in [true, false] {
            let table = try await table(.create, keys: keys, Self.errors[error])
            let other = Array(#"{"objectId":"b"}"#.utf8)[...]
            let second = Delivery.Item(
                id: "b",
                change: QueuedChange(.create, other),
                baseRevision: nil,
                key: "l",
                isRepeated: true
            )
            let answers = await Delivery(to: table).create([item(.create), second], key: "k-2")
            let made = answers.count { if case .done = $0 { true } else { false } }
            #expect(made == 2)
        }
    }

    @Test("A write over a changed row is sent where there is none any more", arguments: kinds)
    func outdatedWriteOfNoRow(kind: QueuedChange.Kind) async throws {
        let table = FaultyTable(MemoryTable("t"))
        let answer = await Delivery(to: table).sendOutdated(item(kind, isRepeated: false))
        switch (kind, answer) {
        case (.create, .done), (.upsert, .done), (.delete, .absent), (.update, .conflict(nil)): break
        default: Issue.record("\(kind) was answered with \(answer).")
        }
        #expect(table.count(of: .commit) == 1)
    }

    @Test("What was removed by others is not brought back by a write over it")
    func outdatedUpsert() async throws {
        let table = FaultyTable(MemoryTable("t"))
        let item = item(.upsert, isRepeated: false, replaced: Self.old)
        guard case .conflict(nil) = await Delivery(to: table).sendOutdated(item) else {
            Issue.record("The row was made again.")
            return
        }
        #expect(table.count(of: .commit) == 0)
    }

    @Test(
        "Without revisions, a write that counts as outdated is made over the row that it was made over",
        arguments: [QueuedChange.Kind.upsert, .update, .delete],
        [true, false]
    )
    func outdatedWriteOverTheSameRow(kind: QueuedChange.Kind, isChanged: Bool) async throws {
        var capabilities = Capabilities.full
        (capabilities.revisions, capabilities.conditionalWrites) = (false, false)
        let base = MemoryTable("t")
        _ = try await base.commit(.create([try Draft(Self.old, idColumn: "objectId")]))
        if isChanged {
            _ = try await base.commit(.update("a", patch: Array(#"{"name":"theirs"}"#.utf8)[...]))
        }
        let item = item(kind, isRepeated: false, replaced: Self.old)
        let answer = await Delivery(to: LimitedTable(base, to: capabilities)).sendOutdated(item)
        let name = try await base.row("a")?["name"]
        switch answer {
        case .conflict(let theirs?): #expect(isChanged && theirs["name"] == "theirs" && name == "theirs")
        case .done: #expect(!isChanged && name == (kind == .delete ? nil : "mine"))
        default: Issue.record("\(kind) was answered with \(answer).")
        }
    }

    @Test("A refused look decides nothing of an outdated write", arguments: errors.indices.dropFirst(), kinds)
    func refusedLookAtOutdated(error: Int, kind: QueuedChange.Kind) async throws {
        for isConditional in [true, false] {
            var capabilities = Capabilities.full
            capabilities.conditionalWrites = isConditional
            let base = MemoryTable("t")
            let row = try Draft(Array(#"{"objectId":"a","name":"old"}"#.utf8)[...], idColumn: "objectId")
            let made = try await base.commit(.create([row]))
            _ = try await base.commit(.update("a", patch: Array(#"{"name":"theirs"}"#.utf8)[...]))
            let table = FaultyTable(LimitedTable(base, to: capabilities))
            table.fail(.row, with: Self.errors[error])
            let revision = made.rows.first?.revision
            let item = item(kind, over: revision, isRepeated: false, replaced: Self.old)
            let answer = await Delivery(to: table).sendOutdated(item)
            // The server's answer to the write, or none at all.
            switch (kind, answer) {
            case (.create, .refused(let refusal)): #expect(refusal.code == .alreadyExists)
            case (.update, .refused(let refusal)), (.delete, .refused(let refusal)):
                #expect(isConditional && refusal.code == .conflict)
            case (.upsert, .failed): break
            case (.update, .failed), (.delete, .failed): #expect(!isConditional)
            default: Issue.record("\(kind) was answered with \(answer).")
            }
            #expect(try await base.row("a")?["name"] == "theirs")
        }
    }

    @Test(
        "A refused look decides nothing of a repeated write over a row whose revision was not known",
        arguments: errors.indices.dropFirst(),
        [QueuedChange.Kind.upsert, .update, .delete]
    )
    func refusedLookAtUnknownRevision(error: Int, kind: QueuedChange.Kind) async throws {
        for keys in [true, false] {
            let table = try await table(kind, keys: keys, Self.errors[error])
            let item = item(kind, replaced: Self.old)
            guard case .failed = await Delivery(to: table).send(item) else {
                Issue.record("\(kind) was decided by \(Self.errors[error]).")
                return
            }
            #expect(table.count(of: .commit) == 0)
        }
    }

    @Test("A conflict is the answer to a write where no look is allowed", arguments: [true, false])
    func refusedLookAtConflict(keys: Bool) async throws {
        var capabilities = Capabilities.full
        capabilities.idempotency = keys
        for isRepeated in [true, false] {
            let base = MemoryTable("t")
            let row = try Draft(Array(#"{"objectId":"a","name":"old"}"#.utf8)[...], idColumn: "objectId")
            let made = try await base.commit(.create([row]))
            _ = try await base.commit(.update("a", patch: Array(#"{"name":"mine or theirs"}"#.utf8)[...]))
            let table = FaultyTable(LimitedTable(base, to: capabilities))
            table.fail(.row, with: RemoteDataError(.forbidden, "Not yours.", status: 403), times: 2)
            let item = item(.update, over: made.rows.first?.revision, isRepeated: isRepeated)
            guard case .refused(let refusal) = await Delivery(to: table).send(item) else {
                Issue.record("It was not refused.")
                return
            }
            #expect(refusal.code == .conflict)
        }
    }

    @Test("A creation that conflicts and is not found is refused")
    func creationThatConflicts() async throws {
        let table = FaultyTable(MemoryTable("t"))
        table.fail(.commit, with: RemoteDataError(.conflict, "The name is taken.", status: 412))
        let id = RowID.text(UUID().uuidString)
        guard case .refused(let refusal) = await Delivery(to: table).send(item(.create, id: id)) else {
            Issue.record("It was not refused.")
            return
        }
        #expect(refusal.message == "The name is taken.")
    }

    @Test("A creation that arrived late and was changed since is done")
    func lateCreation() async throws {
        let id = UUID().uuidString
        let body = Array("{\"objectId\":\"\(id)\",\"name\":\"mine\"}".utf8)[...]
        var capabilities = Capabilities.full
        capabilities.idempotency = false
        let base = MemoryTable("t")
        let table = FaultyTable(LimitedTable(base, to: capabilities))
        table.hold(.row)
        let item = Delivery.Item(
            id: .text(id),
            change: QueuedChange(.create, body),
            baseRevision: nil,
            key: "k",
            isRepeated: true
        )
        async let answer = Delivery(to: table).send(item)
        await table.waitForHeld()
        _ = try await base.commit(.create([try Draft(body, idColumn: "objectId")]))
        _ = try await base.commit(.update(.text(id), patch: Array(#"{"name":"theirs"}"#.utf8)[...]))
        table.letAllGo()
        guard case .done(let row?, _) = await answer else {
            Issue.record("It was not recognized.")
            return
        }
        #expect(row["name"] == "theirs")
    }

    @Test("The server's answer to a write is kept where no look is allowed", arguments: errors.indices)
    func answerOfTheWrite(error: Int) async throws {
        let base = MemoryTable("t")
        _ = try await base.commit(.create([try Draft(Self.body, idColumn: "objectId")]))
        let table = FaultyTable(base)
        table.fail(.row, with: Self.errors[error])
        let answer = await Delivery(to: table).send(item(.create, isRepeated: false))
        guard case .refused(let refusal) = answer else {
            Issue.record("It was not refused.")
            return
        }
        #expect(refusal.code == .alreadyExists)
    }

    @Test("A repeated creation under a random id that is there already has arrived")
    func ownCreation() async throws {
        let id = UUID().uuidString
        let body = Array("{\"objectId\":\"\(id)\"}".utf8)[...]
        var capabilities = Capabilities.full
        capabilities.idempotency = false
        let base = MemoryTable("t")
        _ = try await base.commit(.create([try Draft(body, idColumn: "objectId")]))
        let table = FaultyTable(LimitedTable(base, to: capabilities))
        table.fail(.row, with: RemoteDataError(.forbidden, "Not yours.", status: 403))
        let item = Delivery.Item(
            id: .text(id),
            change: QueuedChange(.create, body),
            baseRevision: nil,
            key: "k",
            isRepeated: true
        )
        guard case .done = await Delivery(to: table).send(item) else {
            Issue.record("It was not recognized.")
            return
        }
    }

    @Test("A write that is cancelled before it is sent counts as never sent", arguments: [1, 2])
    func cancelledBeforeItIsSent(rows: Int) async throws {
        let table = FaultyTable(MemoryTable("t"))
        let gate = FaultyTable(MemoryTable("gate"))
        gate.hold(.count)
        let items = (0..<rows).map { item(.create, id: .integer(Int64($0)), isRepeated: false) }
        let task = Task {
            _ = try? await gate.count(nil)
            let delivery = Delivery(to: table, sendsIDs: false)
            guard rows > 1 else { return [await delivery.send(items[0])] }
            return await delivery.create(items, key: "k-2")
        }
        await gate.waitForHeld()
        task.cancel()
        let unmade = await task.value.count { if case .notMade = $0 { true } else { false } }
        #expect(unmade == rows && table.requests.isEmpty)
    }

    @Test("A delivery that is cancelled sends nothing more")
    func cancelledDelivery() async throws {
        let table = FaultyTable(MemoryTable("t"))
        let gate = FaultyTable(MemoryTable("gate"))
        gate.hold(.count)
        let item = item(.create)
        let task = Task {
            _ = try? await gate.count(nil)
            return await Delivery(to: table).send(item)
        }
        await gate.waitForHeld()
        task.cancel()
        guard case .failed(let error) = await task.value else {
            Issue.record("It was sent.")
            return
        }
        #expect(error.code == .cancelled && table.requests.isEmpty)
    }
}
