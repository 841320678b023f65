import FaultyNetwork
import Foundation
import RemoteData
import RemoteDataTesting

// What is done in a batch.
extension Oracle {
    /// Does a batch, waits until everything has come to rest, and compares.
    ///
    /// - Returns: What is wrong; empty when nothing is.
    /// - Throws: When the server cannot be asked although nothing is broken any more.
    func batch() async throws -> [String] {
        tally.batches += 1
        (trail, others, refused, faultTime) = ([], [], [], nil)
        let batch = planner.batch()
        if batch.beginsTable { try await beginTable() }
        log.beginBatch()
        // Now and then another query.
        for number in subjects.indices where planner.generator.chance(6) {
            subjects[number] = try await subject(number)
        }
        for action in batch.actions {
            trail.append("\(action)")
            try await perform(action)
        }
        proxy.heal()
        healTime = .now
        for subject in subjects { subject.slowDown(milliseconds: 0) }
        return try await problems()
    }

    /// Opens the collections anew over a table that the server does not have yet.
    private func beginTable() async throws {
        tally.tables += 1
        trail.append("table \(tally.tables)")
        log = TableLog(at: log.revision)
        direct.begin("rows\(tally.tables)")
        try await startOver()
    }

    private func perform(_ action: Action) async throws {
        switch action {
        case .write(let write): await perform(write)
        case .own(let collection, let write): subjects[collection].write(write)
        case .read(let collection, let reading):
            let subject = subjects[collection]
            let begin = subject.collection.liveStatus.isLive ? nil : await direct.revision()
            subject.read(reading, from: begin) { [direct] in await direct.revision() }
        case .pause(let milliseconds): try await Task.sleep(for: .milliseconds(milliseconds))
        case .fault(let fault):
            faultTime = faultTime ?? .now
            try await perform(fault)
        }
    }

    private func perform(_ fault: Fault) async throws {
        switch fault {
        case .cut(let abruptly): proxy.cutAll(abruptly: abruptly)
        case .cutInMessage(let direction, let bytes): proxy.gate.cutNext(direction, after: bytes)
        case .stall(let milliseconds):
            proxy.gate.stall(true)
            later(milliseconds) { $0.gate.stall(false) }
        case .refuse(let milliseconds):
            proxy.refuse(true)
            proxy.cutAll(abruptly: true)
            later(milliseconds) { $0.refuse(false) }
        case .refuseChanges(let milliseconds):
            proxy.refuseChanges(true)
            later(milliseconds) { $0.refuseChanges(false) }
        case .slowHandler(let collection, let milliseconds):
            subjects[collection].slowDown(milliseconds: milliseconds)
        case .kill(let write, let milliseconds):
            tally.kills += 1
            let table = RecordingTable(direct.table)
            async let written: Void = Self.commit(write, to: table)
            // Somewhere between before and behind the write.
            if write != nil { try await Task.sleep(for: .microseconds(planner.generator.number(0..<3_000))) }
            try await server.kill()
            try await Task.sleep(for: .milliseconds(milliseconds))
            await written
            others += table.takeWrites()
            try await restart()
        case .killAndForget(let write):
            tally.kills += 1
            try await server.kill()
            try await server.forgetChanges(but: write.mutation, of: direct.name, noting: &log)
            try await restart()
        case .beginAnew(let history): try await beginAnew(history)
        }
    }

    func restart() async throws {
        let port = try await server.start()
        proxy.forward(to: port)
        try direct.move(to: port)
    }

    /// Does something to the proxy after some time.
    private func later(_ milliseconds: Int, _ body: @escaping @Sendable (Proxy) -> Void) {
        let timer = DispatchQueue.global()
        timer.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [proxy] in body(proxy) }
    }

    /// A write whose end nobody hears of.
    private static func commit(_ write: OtherWrite?, to table: RecordingTable) async {
        guard let mutation = try? write?.mutation else { return }
        // A server that was killed does not answer; the first attempt is enough.
        let task = Task { try await table.commit(mutation, idempotencyKey: UUID().uuidString) }
        let timer = Task {
            try await Task.sleep(for: .milliseconds(200))
            task.cancel()
        }
        _ = try? await task.value
        timer.cancel()
    }

    func perform(_ write: OtherWrite) async {
        let table = RecordingTable(direct.table)
        defer { others += table.takeWrites() }
        do throws(RemoteDataError) {
            _ = try await table.commit(write.mutation, idempotencyKey: UUID().uuidString)
        } catch {
            // Rows that are gone cannot be changed.
            guard error.code != .notFound, error.code != .alreadyExists else { return }
            refused.append("A write of somebody else was refused: \(error)")
        }
    }
}

extension OtherWrite {
    /// The write as the table takes it.
    var mutation: Mutation {
        get throws(RemoteDataError) {
            switch self {
            case .create(let rows): .create(try rows.map(Self.draft))
            case .upsert(let row): .upsert([try Self.draft(row)])
            case .update(let id, let patch): .update(id, patch: patch.json[...])
            case .updateAll(let clause, let patch): .updateAll(try Where(clause), patch: patch.json[...])
            case .delete(let id): .delete(id)
            case .deleteAll(let clause): .deleteAll(try Where(clause))
            }
        }
    }

    private static func draft(_ row: ScenarioValue) throws(RemoteDataError) -> Draft {
        try Draft(row.json[...], idColumn: "objectId")
    }
}
