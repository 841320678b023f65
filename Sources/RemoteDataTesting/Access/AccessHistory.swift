package import RemoteData

/// A random history of a table with access control: several users and somebody with all rights write, ask and listen, and
/// whatever any of them is told is compared with what they may know.
package struct AccessHistory {
    let base: any Table
    let users: [AccessUser]
    let tables: [any Table]
    var generator: SeededGenerator
    var oracle = AccessOracle()
    var listeners: [AccessListener] = []
    /// What each user knew at some revisions.
    var memories: [(user: Int, revision: Revision, rows: [RowID: Row])] = []
    var revision = Revision.zero
    var lastTag = 0
    /// What was not as it should be.
    package private(set) var faults: [String] = []

    /// Prepares a history.
    package init(_ base: any Table, seed: UInt64) throws {
        self.base = base
        generator = SeededGenerator(seed: seed)
        users = try [
            AccessUser("ann", roles: ["editors", "o.k. \"r\""]), AccessUser("bob"),
            AccessUser("o'br\"ien.*.x", roles: ["editors", "unheard of"]), .nobody,
        ]
        let defaults: [DefaultACL] = [.private, .publicRead, .none, .private]
        tables = zip(users, defaults).map { AccessTable(base, user: $0, newRows: $1) }
    }

    /// Runs it.
    package mutating func run(steps: Int) async throws {
        for (user, table) in zip(users, tables) where tables[0].capabilities.liveChanges {
            for least in [nil, 3] {
                listeners.append(try await AccessListener(user, table, least: least, since: nil, known: [:]))
            }
        }
        for step in 0..<steps where faults.isEmpty {
            let faults = try await self.step()
            self.faults += faults.map { "step \(step): \($0)" }
        }
    }

    private mutating func step() async throws -> [String] {
        let writer = generator.chance(5) ? nil : generator.number(0..<users.count)
        let key =
            generator.chance(3) && tables[0].capabilities.idempotency ? "key \(generator.number(0..<6))" : nil
        let write = plan(writer)
        // A key that was used before would get the earlier answer.
        let fresh = key.map { "\($0) \(lastTag)" }
        lastTag += 1
        var faults = try await make(write, writer, key: fresh)
        for listener in listeners {
            let isOwn = writer.map { users[$0].id == listener.user.id } ?? false
            faults += try await listener.read(upTo: revision, oracle, key: isOwn ? fresh : nil)
        }
        faults += try await look(generator.number(0..<users.count))
        if tables[0].capabilities.resume { faults += try await remember() }
        return faults.map {
            "\(write.words) by \(writer.map { users[$0].description } ?? "all rights"): \($0)"
        }
    }

    // MARK: Looking

    private mutating func look(_ user: Int) async throws -> [String] {
        let (table, least) = (tables[user], generator.chance(2) ? nil : generator.number(0..<6))
        let expected = oracle.visible(to: users[user], from: least)
        var faults: [String] = []
        let sort = generator.chance(2) ? [SortTerm("n", ascending: generator.chance(2))] : []
        let query = Query(least.map { Self.filter($0) }, sort: sort)
        let count = try await table.count(query).value
        if count != expected.count { faults.append("counts \(count) instead of \(expected.count)") }
        var (rows, start) = ([Row](), PageRequest.Start.offset(0))
        while true {
            let page = try await table.page(PageRequest(query, start: start, limit: 3))
            rows += page.rows
            guard page.rows.count == 3, let last = page.rows.last else { break }
            start = generator.chance(3) ? .offset(rows.count) : .after(Key(last, sort: sort))
        }
        if Set(rows.map(\.id)) != expected || rows.count != expected.count {
            faults.append("reads \(rows.map(\.id)) instead of \(expected)")
        }
        for id in oracle.rows.keys where generator.chance(4) {
            let isThere = try await table.row(id) != nil
            if isThere != oracle.mayRead(users[user], id) { faults.append("row \(id): \(isThere)") }
        }
        return faults.map { "\(users[user]) \($0)" }
    }

    // MARK: Coming back

    private mutating func remember() async throws -> [String] {
        let user = generator.number(0..<users.count)
        let page = try await tables[user].page(PageRequest(Query(), limit: 1_000))
        let rows = Dictionary(uniqueKeysWithValues: page.rows.map { ($0.id, $0) })
        memories.append((user, revision, rows))
        guard generator.chance(3) else { return [] }
        let memory = generator.pick(memories)
        return try await resume(memory.user, memory.revision, memory.rows)
            + replay(memory.user, memory.revision, memory.rows)
    }

    private func resume(_ user: Int, _ since: Revision, _ rows: [RowID: Row]) async throws -> [String] {
        let listener = try await AccessListener(
            users[user],
            tables[user],
            least: nil,
            since: since,
            known: rows
        )
        return try await listener.read(upTo: revision, oracle, key: nil, isPast: true).map {
            "resumed at \(since): \($0)"
        }
    }

    private func replay(_ user: Int, _ since: Revision, _ rows: [RowID: Row]) async throws -> [String] {
        var (known, since, faults) = (rows, since, [String]())
        while true {
            let batch: ChangeBatch
            do throws(RemoteDataError) {
                batch = try await tables[user].changes(since: since, limit: 4)
            } catch {
                return error.code == .gone ? [] : ["changes: \(error)"]
            }
            for change in batch.changes {
                faults += Self.leaks(change.predicate?.description ?? "", knowing: Set(known.keys))
                if let row = change.row {
                    if !Self.isReadable(row, by: users[user]) { faults.append("was shown \(row.id)") }
                    known[row.id] = row
                } else if let id = change.id {
                    if known.removeValue(forKey: id) == nil { faults.append("heard that \(id) went") }
                } else {
                    known = known.filter { !(change.predicate?.matches($0.value) ?? true) }
                }
            }
            since = batch.revision
            if batch.isComplete { break }
        }
        let expected = oracle.visible(to: users[user], from: nil)
        if Set(known.keys) != expected { faults.append("replayed \(known.keys) instead of \(expected)") }
        return faults.map { "\(users[user]) \($0)" }
    }

    // MARK: Words

    static func filter(_ least: Int) -> Where {
        .comparison(.column("n"), .greaterOrEqual, .literal(.integer(Int64(least))))
    }

    /// Whether a row's own ACL lets a user read it.
    static func isReadable(_ row: Row, by user: AccessUser) -> Bool {
        let acl = row[ColumnPath(ACL.column)]
        return AccessOracle.allows(
            user,
            "read",
            acl == .null ? nil : String(decoding: acl.json, as: UTF8.self)
        )
    }

    /// What a text says of rows that are not known: the ids are `id1`, `id2` …, and every row has a tag of its own.
    static func leaks(_ text: String, knowing ids: Set<RowID>) -> [String] {
        let words = text.split { !$0.isLetter && !$0.isNumber }
        let ids = Set(ids.map(\.description))
        return words.filter {
            $0.hasPrefix("tag")
                || $0.hasPrefix("id") && Int($0.dropFirst(2)) != nil && !ids.contains(String($0))
        }
        .map { "\($0) is told" }
    }
}
