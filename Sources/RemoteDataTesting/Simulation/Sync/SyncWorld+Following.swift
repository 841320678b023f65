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
            if letters.isEmpty, !pending.isEmpty {
                self.fail("\(time), device \(number) of \(user) has not sent \(pending)")
            }
            // What waits for a decision, or for another write that does, is not what the server has.
            let open = Set((letters + pending).map(\.row))
            for (name, synced) in attached.tables.sorted(by: { $0.key < $1.key }) {
                guard let table = SyncPlan.Table(rawValue: name) else { continue }
                let query = PageRequest(Query(), limit: 1_000)
                let there = try await server.network(table).server.table.page(query).rows
                    .filter { $0.isDecided(open) }.map(\.text)
                let here = try await synced.page(query).rows.filter { $0.isDecided(open) }.map(\.text)
                if here != there {
                    self.fail(
                        "\(time), device \(number) shows \(user) \(name) by itself: \(here), not \(there)"
                    )
                }
                if !synced.hasSynced { self.fail("\(time), device \(number) never had all \(name)") }
            }
        }
    }

    // MARK: Set aside

    /// What was set aside was so by the server's answer to the write, or because another version of the row
    /// counts.
    func checkSetAside(_ number: Int) {
        guard let attached = devices[number].attached, let user = attached.user else { return }
        check("check") { () async throws(RemoteDataError) in
            // A conflict waits for a decision only where the server's row may not be read, and then it may be
            // one with an earlier attempt.
            let letters = try await attached.store.outbox.deadLetters().filter { item in
                item.state.error?.code != .conflict || !self.hasRefusedRows(item.table, of: user)
            }
            let rejected = try await attached.store.outbox.rejected().filter { item in
                item.state.error?.code != .conflict || !self.hasRival(item, number, user)
            }
            for item in letters + rejected where !self.isRefusal(item) {
                self.fail("\(item) of \(user) on device \(number) is \(item.state)")
            }
        }
    }

    /// Whether the server has reported it.
    private func isRefusal(_ item: OutboxItem) -> Bool {
        item.state.error?.code == SyncServer.refusal.code
            && item.state.error?.message == SyncServer.refusal.message
    }

    /// Whether the server has refused to show single rows of a table, or of the one that they belong to.
    private func hasRefusedRows(_ name: String, of user: String) -> Bool {
        plan.steps.contains { step in
            guard case .fault(let number, let table, .status(403, _), "row"?, _) = step else { return false }
            return SyncPlan.users[number] == user && (table.rawValue == name || table == .lists)
        }
    }

    /// Whether another device has written the row, or removed one that it may belong to, or the server has
    /// begun anew with another row or without it.
    private func hasRival(_ item: OutboxItem, _ number: Int, _ user: String) -> Bool {
        let server = servers.first { $0.user == user }
        if server?.hasBegunWithout(item.row, item.table) ?? false { return true }
        return accepted.contains { write in
            write.user == user && write.device != number
                && (write.id == item.row || (write.isRemoval && write.table == .lists))
        }
    }
}

extension Row {
    /// Whether neither the row nor the one it belongs to has a write that waits.
    fileprivate func isDecided(_ open: Set<RowID>) -> Bool {
        !open.contains(id) && !(RowID(self["list"]).map { open.contains($0) } ?? false)
    }
}
