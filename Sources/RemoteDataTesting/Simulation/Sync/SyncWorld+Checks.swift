import RemoteData
import RemoteDataSQLite

// What has to be so once everything is quiet.
extension SyncWorld {
    func end() {
        for server in servers {
            for table in SyncPlan.Table.allCases {
                server.network(table).change { $0 = NetworkFaults() }
            }
        }
        expectToFollow()
        converge()
        if let fates = plan.backup {
            for server in servers {
                check("put back") { () async throws(RemoteDataError) in
                    try await server.beginAnew(fates, .sameEpoch)
                }
            }
            converge()
        }
        checkMarks()
        for device in devices {
            for stranger in device.strangers { fail(stranger) }
            perform("close") { await device.close() }
        }
    }

    /// Has every device come to what the servers have.
    private func converge() {
        for user in SyncPlan.users {
            for device in devices.indices { drain(device, user) }
        }
        for user in SyncPlan.users {
            for device in devices.indices { compare(device, user) }
        }
    }

    /// Sends what a user's store on a device has, and gives up what is refused.
    private func drain(_ number: Int, _ user: String) {
        attach(number, user)
        guard let attached = devices[number].attached else { return }
        attached.store.outbox.resume()
        for _ in 0..<50 {
            pass(.seconds(120))
            checkSetAside(number)
            let left = DoneBox()
            check("discard") { () async throws(RemoteDataError) in
                for letter in try await attached.store.outbox.deadLetters() {
                    try await attached.store.outbox.discard(letter.id)
                }
                left.isDone = try await attached.store.outbox.pendingCount == 0
            }
            if left.isDone { return }
        }
        check("look") { () async throws(RemoteDataError) in
            let items = try await attached.store.outbox.pending()
            self.fail("device \(number) of \(user) never sent \(items.map { "\($0) \($0.state)" })")
        }
    }

    /// What a device shows to a user is what the server has of that user.
    private func compare(_ number: Int, _ user: String) {
        attach(number, user)
        guard let attached = devices[number].attached, let server = servers.first(where: { $0.user == user })
        else {
            return
        }
        for table in SyncPlan.Table.allCases {
            guard let synced = attached.tables[table.rawValue] else { continue }
            check("compare") { () async throws(RemoteDataError) in
                for _ in 0..<3 { try await synced.pull() }
                let there = try await server.network(table).server.table.page(
                    PageRequest(Query(), limit: 1_000)
                )
                let here = try await synced.page(PageRequest(Query(), limit: 1_000))
                let (mine, theirs) = (here.rows.map(\.text), there.rows.map(\.text))
                if mine != theirs {
                    self.fail(
                        "device \(number) shows \(user) \(table): \(mine), and the server has \(theirs)"
                    )
                }
                for row in there.rows where !self.isOwn(row, user) {
                    self.fail("\(user) was sent \(row.text)")
                }
            }
        }
    }

    /// Whether what a row was last written by was a write of a user.
    private func isOwn(_ row: Row, _ user: String) -> Bool {
        accepted.contains { $0.user == user && row["mark"] == .text($0.mark) }
    }

    /// Every accepted write was made once, unless it was given up or another one has taken its place.
    private func checkMarks() {
        for server in servers {
            let mine = accepted.filter { $0.user == server.user }
            for (mark, count) in server.made.sorted(by: { $0.key < $1.key }) where plan.isExact {
                // Each device that has a row may move it.
                let writes = mine.filter { $0.mark == mark }
                if count > max(1, writes.count), !isUnknowable(writes.first, mine, server) {
                    fail("\(mark) was made \(count) times")
                }
                let rejected = writes.filter { !isUnknowable($0, mine, server) && isRejected($0) }
                // Of a row that several devices have moved, one may have been given up and another one made.
                let lately = server.madeLately[mark] ?? 0
                if let write = rejected.first, lately > writes.count - rejected.count {
                    let what = "\(write.mark) of \(write.user) on device \(write.device)"
                    fail("\(what) was made, and is said to be given up")
                }
            }
            for (index, write) in mine.enumerated() {
                guard let number = write.numbers.first, !write.isRemoval, server.made[write.mark] == nil,
                    !server.hasMerged(write)
                else {
                    continue
                }
                // Later ones of the same row on the same device may have been made one with it.
                let isFolded = mine[(index + 1)...]
                    .contains {
                        $0.device == write.device && $0.table == write.table && $0.numbers.contains(number)
                    }
                if isFolded || server.hasRemoved(write.id) { continue }
                checkAcknowledged(write, number, server)
            }
        }
    }

    /// Whether a server without keys cannot tell a write that never came from one whose row was removed, or changed by somebody
    /// else, since; or takes a copy of it that comes late, having been sent before the row's revision was known.
    private func isUnknowable(_ write: Accepted?, _ all: [Accepted], _ server: SyncServer) -> Bool {
        guard !plan.capabilities.idempotency, let write else { return false }
        return server.hasRemoved(write.id) || all.contains { $0.id == write.id && $0.device != write.device }
            || server.unconditionalCount(write.mark) == 1
    }

    /// Whether a write is said to have been given up.
    private func isRejected(_ write: Accepted) -> Bool {
        guard let number = write.numbers.first else { return false }
        attach(write.device, write.user)
        guard let attached = devices[write.device].attached else { return false }
        let rejected = DoneBox()
        check("check") { () async throws(RemoteDataError) in
            if case .rejected = try await attached.store.outbox.write(number).state { rejected.isDone = true }
        }
        return rejected.isDone
    }

    private func checkAcknowledged(_ write: Accepted, _ number: Int64, _ server: SyncServer) {
        attach(write.device, write.user)
        guard let attached = devices[write.device].attached else { return }
        check("check") { () async throws(RemoteDataError) in
            let state = try await attached.store.outbox.write(number).state
            guard case .acknowledged = state else { return }
            // A removal here takes it back, also where the server has got it behind a removal by somebody else, and keeps it.
            if self.wasRemovedLater(write) { return }
            // What belongs to a row goes with it.
            let table = server.network(write.table).server.table
            guard try await table.row(write.id) != nil || !self.wasRemovedHere(write) else { return }
            self.fail("\(write.mark) of \(write.user) (#\(number)) was said to be made, and was not")
        }
    }

    /// Whether the row, or one that it may belong to, was removed on the same device behind a write.
    private func wasRemovedLater(_ write: Accepted) -> Bool {
        let later = accepted.drop { $0.mark != write.mark || $0.user != write.user }
        return later.contains { other in
            other.isRemoval && other.user == write.user && other.device == write.device
                && (other.id == write.id || other.table == .lists)
        }
    }

    /// Whether the row, or one that it may belong to, was removed by somebody.
    private func wasRemovedHere(_ write: Accepted) -> Bool {
        accepted.contains { other in
            other.isRemoval && other.user == write.user && (other.id == write.id || other.table == .lists)
        }
    }
}
