import RemoteData

// Finding what changes leave out: each followed table is looked at every so often.
extension PocketBaseSubscriptions {
    /// A look at a table.
    struct LookRequest: Sendable, Equatable {
        let table: String
        let number: Int
        /// The columns that the table has to have.
        let columns: Set<ColumnPath>
        /// Whether to renew the token first: the server shows fewer rows to a guest.
        let confirmsAccount: Bool
    }

    /// What a look has found.
    struct LookAnswer: Sendable {
        let rows: RowAudit.Look
        /// Columns that are missing, with an error for each.
        var missing: [ColumnPath: RemoteDataError] = [:]
    }

    /// The state of the looks at a table.
    struct Audit: Sendable {
        enum Phase: Sendable {
            case resting
            case looking
            /// Changes that were made before the look may still arrive.
            case settling(RowAudit.Look)
        }

        var rows = RowAudit()
        /// The number of the look; answers to earlier ones are ignored.
        var number = 0
        var phase = Phase.resting
        /// Whether the look confirms one that changes do not explain.
        var isConfirming = false
        /// Whether a look has been answered, or has failed: subscribers are live from then on.
        var hasBegun = false
        /// Whether subscribers are live without a look, so that rows may have changed unnoticed.
        var isUnsure = false
    }

    /// Whether changes are checked from now on, or not at all.
    func hasBegunLooks(at table: String) -> Bool { !isAuditing || audits[table]?.hasBegun == true }

    /// Begins to look at tables that have become live.
    mutating func beginLooks(at tables: Set<String>) -> [Action] {
        guard isAuditing else { return [] }
        return tables.sorted().flatMap { audits[$0] == nil ? look(at: $0) : [] }
    }

    /// The time to look again has come.
    mutating func dueToLook(_ table: String, _ number: Int) -> [Action] {
        guard let audit = audits[table], audit.number == number, case .resting = audit.phase else {
            return []
        }
        return look(at: table)
    }

    private mutating func look(at table: String, confirms: Bool = false) -> [Action] {
        lastLook += 1
        var audit = audits[table] ?? Audit()
        (audit.number, audit.phase, audit.isConfirming) = (lastLook, .looking, confirms)
        audit.rows.begin()
        audits[table] = audit
        let columns = entries.values.filter { $0.table == table }.reduce(into: Set()) {
            $0.formUnion($1.columns)
        }
        let request = LookRequest(table: table, number: lastLook, columns: columns, confirmsAccount: confirms)
        return [.look(request)]
    }

    /// A look at a table was answered, or failed.
    mutating func looked(_ table: String, _ number: Int, _ result: Result<LookAnswer, RemoteDataError>)
        -> [Action]
    {
        guard var audit = audits[table], audit.number == number, case .looking = audit.phase else {
            return []
        }
        switch result {
        case .success(let answer):
            let missed = audit.isUnsure ? liveSubscribers(to: table) : []
            (audit.phase, audit.hasBegun, audit.isUnsure) = (.settling(answer.rows), true, false)
            audits[table] = audit
            let actions =
                missed.map { Action.deliver($0, [.reset, .live(nil)]) }
                + refuse(table) { entry in entry.columns.lazy.compactMap { answer.missing[$0] }.first
                }
            return actions + [.waitToSettle(table, number)]
        case .failure(let error):
            let isRefusal = !error.isTransient && error.code != .cancelled
            if isRefusal { audit.rows = RowAudit() }
            audit.rows.abandon()
            audit.isUnsure = audit.isUnsure || (!isRefusal && !audit.hasBegun)
            (audit.phase, audit.hasBegun) = (.resting, true)
            audits[table] = audit
            return (isRefusal ? refuse(table) { _ in error } : liveAgain()) + [.waitToLook(table, number)]
        }
    }

    /// Interrupts subscribers to a table that is missing, and resumes them when it is there again.
    private mutating func refuse(_ table: String, _ error: (Entry) -> RemoteDataError?) -> [Action] {
        var actions: [Action] = []
        for (id, entry) in entries.sorted(by: { $0.key < $1.key }) where entry.table == table {
            let error = error(entry)
            entries[id]?.isRefused = error != nil
            guard let error, !entry.isRefused else { continue }
            entries[id]?.isLive = false
            actions.append(.deliver(id, [.interrupted(error)]))
        }
        return actions + liveAgain()
    }

    /// Changes that were made before a look have arrived.
    mutating func settled(_ table: String, _ number: Int) -> [Action] {
        guard var audit = audits[table], audit.number == number, case .settling(let look) = audit.phase else {
            return []
        }
        if !audit.isConfirming, !audit.rows.agrees(with: look) { return self.look(at: table, confirms: true) }
        let agrees = audit.rows.end(look)
        (audit.phase, audit.isConfirming) = (.resting, false)
        audits[table] = audit
        let missed = agrees ? [] : liveSubscribers(to: table)
        return missed.map { .deliver($0, [.reset, .live(nil)]) } + [.waitToLook(table, number)]
    }

    private func liveSubscribers(to table: String) -> [Int] {
        entries.filter { $0.value.isLive && $0.value.table == table }.keys.sorted()
    }

    /// Ends the looks at a table without subscribers, or after a disconnect.
    mutating func stopLooking(at table: String) -> [Action] {
        audits.removeValue(forKey: table) == nil ? [] : [.stopLooking(table)]
    }

    /// A change of a row was reported; `isPresent` is nil while the row is read.
    mutating func note(_ id: RowID, of table: String, isPresent: Bool?, wasPresent: Bool? = nil) {
        audits[table]?.rows.note(id, isPresent: isPresent, wasPresent: wasPresent)
    }

    /// Returns whether a row that is updated was there before; where that is not known, it is taken for one.
    ///
    /// An update that reveals a row then costs a comparison. Otherwise each update of an unknown row would
    /// hide a row that is revealed without a change.
    func wasPresent(_ id: RowID, in table: String) -> Bool { audits[table]?.rows.isPresent(id) ?? true }

    /// Notes rows of a page.
    mutating func noteRead(_ ids: [RowID], of table: String) {
        for id in ids { audits[table]?.rows.noteRead(id) }
    }
}
