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
        guard let attached = attached(number, to: user) else { return }
        attached.store.outbox.resume()
        for _ in 0..<50 {
            pass(.seconds(120))
            checkSetAside(number)
            let isSent = Box(false)
            check("discard") { () async throws(RemoteDataError) in
                for letter in try await attached.store.outbox.deadLetters() {
                    try await attached.store.outbox.discard(letter.id)
                }
                isSent.value = try await attached.store.outbox.pendingCount == 0
            }
            if isSent.value { return }
        }
        check("look") { () async throws(RemoteDataError) in
            let items = try await attached.store.outbox.pending()
            self.fail("device \(number) of \(user) never sent \(items.map { "\($0) \($0.state)" })")
        }
    }

    /// What a device shows to a user is what the server has of that user.
    private func compare(_ number: Int, _ user: String) {
        guard let attached = attached(number, to: user), let server = server(of: user) else { return }
        for table in SyncPlan.Table.allCases {
            check("compare") { () async throws(RemoteDataError) in
                let synced = try attached.table(table.rawValue)
                try await synced.pull()
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
            for (index, write) in mine.enumerated() where write.isRemoval {
                let device = mine.map { $0.device == write.device ? Value.text($0.mark) : .null }
                // A row that was moved away and back is added anew.
                let before = Set(device[..<index]).subtracting(device[(index + 1)...])
                checkRemoval(write, of: before, server)
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
                if isFolded || isTakenBack(write, by: mine[(index + 1)...]) { continue }
                checkAcknowledged(write, number, server)
            }
        }
    }

    /// Whether a server without keys cannot tell whether a write was made.
    ///
    /// So it is where its row was removed since, or changed by another device, and where a copy of a change
    /// comes late that was sent before the row's revision was known, or of a row that may not be read.
    private func isUnknowable(_ write: Accepted?, _ all: [Accepted], _ server: SyncServer) -> Bool {
        guard !plan.capabilities.idempotency, let write else { return false }
        let life = server.book.life(of: write.id)
        guard let made = life.changes.first(where: { $0.mark == .text(write.mark) })?.moment else {
            return false
        }
        if life.removals.contains(where: { $0 > made }) { return true }
        let others = all.filter { $0.id == write.id && $0.device != write.device }
        let rivals = Set(others.map { Value.text($0.mark) })
        if life.changes.contains(where: { $0.moment > made && rivals.contains($0.mark) }) { return true }
        let isChange = !life.additions.contains { $0.mark == .text(write.mark) }
        guard isChange else { return false }
        let isUnread = devices.contains { $0.wasForbidden(write.id) }
        return server.unconditionalCount(write.mark) == 1 || isUnread
    }

    /// Whether a write is said to have been given up.
    private func isRejected(_ write: Accepted) -> Bool {
        guard let number = write.numbers.first, let attached = attached(write.device, to: write.user) else {
            return false
        }
        let isRejected = Box(false)
        check("check") { () async throws(RemoteDataError) in
            if case .rejected = try await attached.store.outbox.write(number).state {
                isRejected.value = true
            }
        }
        return isRejected.value
    }

    /// Attaches a user to a device, where that has to succeed.
    private func attached(_ number: Int, to user: String) -> UserStore? {
        attach(number, user)
        let attached = devices[number].attached
        guard let attached, attached.user == user else {
            fail("device \(number) has no store of \(user)")
            return nil
        }
        return attached
    }

    /// An accepted removal was made, or the row was gone already, unless it was given up.
    ///
    /// - Parameters:
    ///   - write: The removal.
    ///   - marks: The marks of what the device wrote before it, and not again after it.
    ///   - server: The server.
    private func checkRemoval(_ write: Accepted, of marks: Set<Value>, _ server: SyncServer) {
        let life = server.book.life(of: write.id)
        // What the device has added itself, it has to remove.
        let own = life.additions.last { addition in
            addition.moment > write.moment && marks.contains(addition.mark) && !isLateCopy(addition, in: life)
        }
        let isRemoved = own.map { own in life.removals.contains { $0 > own.moment } }
        // What the device saw may have been removed before that, and the row brought back.
        var since = write.moment
        if server.book.lastReturn(of: write.id) != nil {
            let mine = accepted.filter { $0.user == write.user }
            since = min(since, lastKnown(before: write, mine, life) ?? since)
        }
        if isRemoved ?? life.isAbsent(since: since) { return }
        // What belongs to a list went with that, whose removal is looked at by itself.
        let hasList = accepted.contains {
            $0.isRemoval && $0.user == write.user && $0.id == write.list && $0.device == write.device
                && $0.moment == write.moment
        }
        guard !(write.numbers.isEmpty && hasList), !isRejected(write) else { return }
        fail("the removal \(write.mark) of \(write.id) by \(write.user) was neither made nor given up")
    }

    /// Whether an addition is one more copy of an earlier one, which a server without keys takes for another.
    private func isLateCopy(_ addition: RowLife.Change, in life: RowLife) -> Bool {
        guard !plan.capabilities.idempotency else { return false }
        return life.additions.contains { $0.mark == addition.mark && $0.moment < addition.moment }
    }

    private func checkAcknowledged(_ write: Accepted, _ number: Int64, _ server: SyncServer) {
        guard let attached = attached(write.device, to: write.user) else { return }
        check("check") { () async throws(RemoteDataError) in
            let state = try await attached.store.outbox.write(number).state
            guard case .acknowledged = state else { return }
            self.fail("\(write.mark) of \(write.user) (#\(number)) was said to be made, and was not")
        }
    }

    /// Whether the row or its list was removed on the same device after a write, which then need not be sent.
    private func isTakenBack(_ write: Accepted, by later: some Sequence<Accepted>) -> Bool {
        later.contains {
            $0.isRemoval && $0.device == write.device && ($0.id == write.id || $0.id == write.list)
        }
    }
}
