import RemoteData
import RemoteDataSQLite

// What happens.
extension SyncWorld {
    func take(_ step: SyncPlan.Step) {
        switch step {
        case .add(let device, let table, let pick, let isPoisoned): add(device, table, pick, isPoisoned)
        case .update(let device, let table, let pick, let isPoisoned): update(device, table, pick, isPoisoned)
        case .remove(let device, let table, let pick): remove(device, table, pick)
        case .pull(let device, let table):
            guard let table = devices[device].attached?.tables[table.rawValue], table.remote != nil else {
                return
            }
            perform("pull") { () async throws(RemoteDataError) in try await table.pull() }
        case .crash(let device, let steps):
            scheduler.runReady(atMost: steps)
            let user = devices[device].attached?.user
            devices[device].crash()
            attach(device, user)
        case .changeUser(let device, let user): attach(device, user.map { SyncPlan.users[$0] })
        case .move(let device, let source, let target, let steps):
            let names = (source.map { SyncPlan.users[$0] }, target.map { SyncPlan.users[$0] })
            move(device, names.0, names.1, crashAfter: steps)
        case .pause(let device, let isPaused):
            let outbox = devices[device].attached?.store.outbox
            if isPaused { outbox?.pause() } else { outbox?.resume() }
        case .decide(let device, let pick, let isRetry): decide(device, pick, isRetry)
        case .offline(let user, let isOffline): servers[user].setOffline(isOffline)
        case .fault(let user, let table, let kind, let call, let times):
            let fault = RequestFault(kind: kind, call: call, remaining: times)
            servers[user].network(table).change { $0.requests.append(fault) }
        case .expireTokens(let user):
            for table in SyncPlan.Table.allCases { servers[user].network(table).server.expireTokens() }
        case .restartServer(let user, let table, let keepsLog):
            servers[user].network(table).restartServer(keepsLog: keepsLog)
        case .beginAnew(let user, let fates, let history):
            check("begin anew") { [self] () async throws(RemoteDataError) in
                try await servers[user].beginAnew(fates, history)
            }
        case .bringBack(let user, let pick, let isChanged):
            check("bring back") { [self] () async throws(RemoteDataError) in
                try await servers[user].bringBack(pick, isChanged: isChanged)
            }
        case .passTime(let duration): pass(duration)
        }
    }

    func pass(_ duration: Duration) {
        if !scheduler.run(for: duration) { fail("there was no end of work") }
    }

    func attach(_ device: Int, _ user: String?) {
        let device = devices[device]
        check("attach") { () async throws(RemoteDataError) in try await device.attach(user) }
    }

    // MARK: Writes

    private func add(_ number: Int, _ table: SyncPlan.Table, _ pick: Int, _ isPoisoned: Bool) {
        write(number, table, isRemoval: false) {
            (world, synced, mark) async throws(RemoteDataError) in
            let digits = mark.dropFirst()
            let zeros = String(repeating: "0", count: 12 - digits.count)
            let id = RowID.text("00000000-0000-4000-8000-\(zeros)\(digits)")
            var columns: [(String, Value)] = [
                ("objectId", id.value), ("mark", .text(mark)),
                ("n", .integer(Int64(pick))), ("isPoisoned", .bool(isPoisoned)),
            ]
            let list = table == .items ? try await world.row(number, .lists, pick)?.id : nil
            if let list { columns.append(("list", list.value)) }
            let draft = try Draft(Self.object(columns), idColumn: "objectId")
            return Writing(id: id, list: list, seen: .null, mutation: .create([draft]))
        }
    }

    private func update(_ number: Int, _ table: SyncPlan.Table, _ pick: Int, _ isPoisoned: Bool) {
        write(number, table, isRemoval: false) {
            (world, synced, mark) async throws(RemoteDataError) in
            guard let row = try await world.row(number, table, pick) else { return nil }
            let patch = Self.object([
                ("mark", .text(mark)), ("n", .integer(Int64(pick + 1))), ("isPoisoned", .bool(isPoisoned)),
            ])
            return Writing(row, .update(row.id, patch: patch))
        }
    }

    private func remove(_ number: Int, _ table: SyncPlan.Table, _ pick: Int) {
        write(number, table, isRemoval: true) {
            (world, synced, mark) async throws(RemoteDataError) in
            try await world.row(number, table, pick)
                .map { Writing($0, .delete($0.id)) }
        }
    }

    private func write(
        _ number: Int,
        _ table: SyncPlan.Table,
        isRemoval: Bool,
        _ make:
            @escaping @Sendable (
                SyncWorld, SyncedTable, _ mark: String
            ) async throws(RemoteDataError) -> Writing?
    ) {
        guard let attached = devices[number].attached, let synced = attached.tables[table.rawValue] else {
            return
        }
        let (mark, user) = (nextMark(), attached.user ?? "")
        check("write") { () async throws(RemoteDataError) in
            guard let writing = try await make(self, synced, mark) else { return }
            let moment = self.moment(of: user)
            let write: SyncedWrite
            do throws(RemoteDataError) { write = try await synced.write(writing.mutation) } catch {
                // An event may have taken the row away since it was looked at.
                guard error.code == .notFound, try await synced.row(writing.id) == nil else { throw error }
                return
            }
            self.accept(
                Accepted(
                    mark: mark,
                    user: user,
                    device: number,
                    table: table,
                    id: writing.id,
                    isRemoval: isRemoval,
                    numbers: write.numbers,
                    n: writing.mutation.bodies.first?["n"] ?? .null,
                    list: writing.list,
                    seen: writing.seen,
                    moment: moment
                )
            )
        }
    }

    /// A write that is about to be made.
    fileprivate struct Writing: Sendable {
        let id: RowID
        /// The list that the row belongs to.
        let list: RowID?
        /// The mark that the row has.
        let seen: Value
        let mutation: Mutation
    }

    /// One of the rows that a device shows.
    private func row(
        _ number: Int,
        _ table: SyncPlan.Table,
        _ pick: Int
    ) async throws(RemoteDataError) -> Row? {
        guard let synced = devices[number].attached?.tables[table.rawValue] else { return nil }
        let rows = try await synced.page(PageRequest(Query(), limit: 1_000)).rows
        return rows.isEmpty ? nil : rows[pick % rows.count]
    }

    private static func object(_ columns: [(String, Value)]) -> ArraySlice<UInt8> {
        JSONObject.object(of: columns.map { JSONObject.Member(name: $0.0, value: $0.1) })
    }

    private func decide(_ number: Int, _ pick: Int, _ isRetry: Bool) {
        guard let outbox = devices[number].attached?.store.outbox else { return }
        check("decide") { () async throws(RemoteDataError) in
            let letters = try await outbox.deadLetters()
            guard !letters.isEmpty else { return }
            let letter = letters[pick % letters.count]
            do throws(RemoteDataError) {
                if isRetry { try await outbox.retry(letter.id) } else { try await outbox.discard(letter.id) }
            } catch {
                // An event may have shown since that the server has made it.
                let isOpen = try await outbox.deadLetters().contains { $0.id == letter.id }
                guard error.code == .notFound, !isOpen else { throw error }
            }
        }
    }
}

extension SyncWorld.Writing {
    /// A write of a row that is shown.
    fileprivate init(_ row: Row, _ mutation: Mutation) {
        self.init(id: row.id, list: RowID(row["list"]), seen: row["mark"], mutation: mutation)
    }
}
