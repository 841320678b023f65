import RemoteData
import RemoteDataSQLite

// What a device shows and says by itself, once nothing goes wrong any more.
extension SyncWorld {
    /// How long what is late may take: writes that wait for one another, each with the longest wait between
    /// two attempts.
    private static var drainTime: Duration { .seconds(600) }
    /// A poll of what is not observed and the wait after one that failed.
    private static var pollTime: Duration { .seconds(60) }

    /// Each device shows what the server has, without being asked to read it.
    func expectToFollow() {
        for device in devices { device.attached?.store.outbox.resume() }
        pass(Self.drainTime)
        // In-place changes are seen by complete polls, which are a part of all.
        for number in devices.indices { compareShown(number, "at rest") }
        for table in SyncPlan.Table.allCases {
            for number in devices.indices {
                take(.add(device: number, table, pick: 0, isPoisoned: false))
            }
        }
        pass(Self.pollTime)
        for number in devices.indices { compareShown(number, "after the last writes") }
    }

    private func compareShown(_ number: Int, _ time: String) {
        guard plan.rate == .normal, let attached = devices[number].attached, let user = attached.user,
            let server = servers.first(where: { $0.user == user })
        else { return }
        check("compare") { () async throws(RemoteDataError) in
            let letters = try await attached.store.outbox.deadLetters()
            let pending = try await attached.store.outbox.pending()
            for item in pending where !item.waits(for: letters, over: pending) {
                self.fail("\(time), device \(number) of \(user) has not sent \(item)")
            }
            let query = PageRequest(Query(), limit: 1_000)
            var hidden: Set<RowID> = []
            for table in [SyncPlan.Table.lists, .items] {
                let synced = try attached.table(table.rawValue)
                let open = (letters + pending).filter { $0.table == table.rawValue }
                let there = try await server.network(table).server.table.page(query).rows
                let expected = try self.rows(there, with: open)
                    .filter { row in !(RowID(row["list"]).map { hidden.contains($0) } ?? false) }
                let here = try await synced.page(query).rows
                if table == .lists {
                    // Items of a list that was removed elsewhere are shown as long as the server has them.
                    let unsettled = open.filter { $0.kind != .update }
                    hidden = Set(unsettled.map(\.row)).subtracting(here.map(\.id))
                }
                let (mine, theirs) = (here.map(\.text).sorted(), expected.map(\.text).sorted())
                if mine != theirs {
                    self.fail(
                        "\(time), device \(number) shows \(user) \(table) by itself: \(mine), not \(theirs)"
                    )
                }
                if !synced.hasSynced { self.fail("\(time), device \(number) never had all \(table)") }
            }
        }
    }

    /// The rows of the server as a device is to show them, which has writes that wait for a decision.
    private func rows(_ rows: [Row], with open: [OutboxItem]) throws(RemoteDataError) -> [Row] {
        var shown = Dictionary(uniqueKeysWithValues: rows.map { ($0.id, $0.json) })
        for item in open.sorted(by: { $0.id < $1.id }) where item.state.error == nil || plan.showsRefused {
            shown[item.row] = try item.change.applied(to: shown[item.row])
        }
        return shown.map { Row(id: $0.key, json: $0.value) }
    }

    // MARK: Set aside

    /// What was set aside was so by the server's answer to the write, or because another version of the row
    /// counts.
    func checkSetAside(_ number: Int) {
        guard let attached = devices[number].attached, let user = attached.user else { return }
        check("check") { () async throws(RemoteDataError) in
            // A conflict waits for a decision only where the server's row may not be read, and then it may be
            // one with an earlier attempt; what is discarded keeps the server's answer.
            let letters = try await attached.store.outbox.deadLetters()
                .filter { !self.isConflictUnread($0, number) }
            let rejected = try await attached.store.outbox.rejected().filter { item in
                let error = item.state.error
                let isDecided = error?.code == .conflict && self.hasRival(item, number, user)
                return !isDecided && !(error?.status != nil && self.isConflictUnread(item, number))
            }
            for item in letters + rejected where !self.isRefusal(item) {
                self.fail("\(item) of \(user) on device \(number) is \(item.state)")
            }
        }
    }

    /// Whether it is a conflict with a row that the server has refused to show.
    private func isConflictUnread(_ item: OutboxItem, _ number: Int) -> Bool {
        item.state.error?.code == .conflict && devices[number].wasForbidden(item.row)
    }

    /// Whether the server has reported it.
    private func isRefusal(_ item: OutboxItem) -> Bool {
        item.state.error?.code == SyncServer.refusal.code
            && item.state.error?.message == SyncServer.refusal.message
    }

    /// Whether the server's row is not as it was read here.
    ///
    /// Another one has changed or removed it since, or removed its list, or the server has begun anew with
    /// another row or without one of them.
    private func hasRival(_ item: OutboxItem, _ number: Int, _ user: String) -> Bool {
        guard let server = server(of: user) else { return false }
        let mine = accepted.filter { $0.user == user }
        let write = mine.first { $0.device == number && $0.id == item.row && $0.numbers.contains(item.id) }
        let lists = [item.row, write?.list].compactMap(\.self)
        if server.book.hasBegunWithout(item.row) || lists.contains(where: server.book.hasLost) { return true }
        let rivals = mine.filter { $0.device != number }
        // What comes after its list was removed here is shown until it goes with that on the server.
        let removals = rivals + mine.filter { $0.device == number && $0.id == write?.list }
        if removals.contains(where: { $0.isRemoval && lists.contains($0.id) && server.hasRemoved($0.id) }) {
            return true
        }
        let marks = Set(rivals.filter { $0.id == item.row }.map { Value.text($0.mark) })
        let life = server.book.life(of: item.row)
        let read = write.flatMap { lastRead(before: $0, mine, life) } ?? 0
        if lists.contains(where: { server.book.lastReturn(of: $0) ?? 0 > read }) { return true }
        return life.changes.contains { $0.moment > read && ($0.mark == .null || marks.contains($0.mark)) }
    }

    /// When the server made what a device showed of a row before it wrote that; nil where that is not known.
    private func lastRead(before write: Accepted, _ mine: [Accepted], _ life: RowLife) -> Int? {
        var write = write
        while true {
            let made = life.changes.last { $0.mark == write.seen && $0.moment <= write.moment }
            if let made { return made.moment }
            // What the device has written there itself was made over something.
            let index = mine.lastIndex {
                $0.device == write.device && write.seen == .text($0.mark) && $0.seen != write.seen
            }
            guard let index else { return nil }
            write = mine[index]
        }
    }

    /// When the server made what a device's own writes of a row were made over; nil where that is not known.
    ///
    /// What the server has made of those may not have come to the device when it wrote.
    func lastKnown(before write: Accepted, _ mine: [Accepted], _ life: RowLife) -> Int? {
        var (mark, made) = (write.seen, Int?.none)
        while true {
            made = life.changes.first { $0.mark == mark }?.moment ?? made
            let own = mine.last {
                $0.device == write.device && .text($0.mark) == mark && $0.seen != mark
            }
            // What a device has added was made over nothing.
            guard let own, own.seen != .null else { return made }
            mark = own.seen
        }
    }
}

extension OutboxItem {
    /// Whether the write waits for one that was refused, over others that do.
    fileprivate func waits(for letters: [OutboxItem], over pending: [OutboxItem]) -> Bool {
        var item = self
        for _ in 0...pending.count {
            guard let number = item.waitsFor else { return false }
            if letters.contains(where: { $0.id == number }) { return true }
            guard let next = pending.first(where: { $0.id == number }) else { return false }
            item = next
        }
        return false
    }

    /// What the write does to its row.
    fileprivate var change: QueuedChange {
        switch kind {
        case .create: QueuedChange(.create, json)
        case .upsert: QueuedChange(.upsert, json)
        case .update: QueuedChange(.update, json)
        case .delete: QueuedChange(.delete)
        }
    }
}
