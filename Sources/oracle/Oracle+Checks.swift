import RemoteData
import RemoteDataBackends
import RemoteDataTesting

// What has to be so behind a batch.
extension Oracle {
    /// Waits until everything has come to rest, and compares everything.
    ///
    /// - Returns: What is wrong.
    func problems() async throws -> [String] {
        var problems: [String] = []
        let deadline = healTime + Self.patience
        for subject in subjects where await !wait(until: deadline, { await isSettled(subject) }) {
            problems.append("\(subject.name): \(state(of: subject))")
        }
        guard problems.isEmpty else { return problems }
        let before = log.revision
        try await log.read(from: direct.table)
        tally.changes += Int(log.revision.rawValue - before.rawValue)
        problems += refused + others.compactMap { $0.problem(in: log) }
        problems += try await logProblems()
        for subject in subjects {
            let found = try await self.problems(of: subject)
            problems += found.map { "\(subject.name): \($0)" }
        }
        return problems
    }

    private func isSettled(_ subject: Subject) async -> Bool {
        guard subject.isIdle, subject.collection.liveStatus.isLive else { return false }
        return await subject.isSettled(at: direct.revision())
    }

    private func state(of subject: Subject) -> String {
        let applied = subject.collection.appliedRevision.map(\.description) ?? "none"
        let inspection = subject.collection.inspect()
        let buffers = inspection.buffers.filter { $0.count > 0 }.map { "\($0.count) \($0.name)" }
        return
            "It does not come to rest: calls end \(subject.isIdle), status \(subject.collection.liveStatus), "
            + "at revision \(applied), \(buffers.joined(separator: ", "))."
    }

    /// The server's log leads to the server's rows.
    private func logProblems() async throws -> [String] {
        let rows = try await rows(of: Query(nil))
        let logged = log.rows.values.sorted { Value.order($0.id.value, $1.id.value) == .ascending }
        return Self.difference(logged, rows).map { ["The server's log does not lead to its rows: \($0)"] }
            ?? []
    }

    private func problems(of subject: Subject) async throws -> [String] {
        var problems: [String] = []
        let results = subject.takeResults()
        problems += results.writes.compactMap { $0.problem(in: log) }
        problems += results.added.subtracting(results.writes.flatMap(\.created)).map {
            "The row \($0) was added, and its creation was not acknowledged."
        }
        problems += results.removed.subtracting(results.writes.compactMap(\.deleted)).map {
            "The row \($0) was removed, and its deletion was not acknowledged."
        }
        // Others may have removed or changed what a call was about, and not all rows may fit.
        let usual: [RemoteDataError.Code] = [.notFound, .alreadyExists, .outOfRange, .tooLarge, .conflict]
        for failure in results.errors where !usual.contains(failure.error.code) {
            let mayFail = isBroken(at: failure.time)
            if mayFail, failure.error.isTransient { continue }
            problems.append("\(mayFail ? "A" : "Nothing was broken, and a") call failed: \(failure.error)")
        }
        for (id, tellings) in await subject.tellings()
        where !log.hasNewHistory && tellings.count > log.changeCount(of: id) {
            let told = tellings.joined(separator: "; ")
            problems.append("The row \(id) was told of more often than it changed: \(told).")
        }
        if let difference = await subject.differenceFromTold() { problems.append("Told: \(difference)") }
        let moments = log.moments(of: subject.collection.query)
        for pass in results.passes {
            note(pass)
            problems += self.problems(of: pass, in: subject, moments, reports: results.reports)
        }
        if let difference = try await difference(subject.collection) { problems.append(difference) }
        guard problems.isEmpty, planner.generator.chance(3) else { return problems }
        return try await problemsOfEveryRow(subject)
    }

    /// Everything can be read, and is then what the server has.
    private func problemsOfEveryRow(_ subject: Subject) async throws -> [String] {
        let collection = subject.collection
        var taken: [RowID] = []
        do throws(RemoteDataError) {
            if collection.options.cacheLimit == nil { try await collection.populate() }
            for try await row in collection.rows { taken.append(row.id.rawValue) }
        } catch { return ["Reading every row ends with \(error)."] }
        if try await rows(of: collection.query).map(\.id) != taken {
            return ["An iteration at rest took \(taken.count) rows, or in another order than the server has."]
        }
        if collection.options.cacheLimit == nil, !collection.isLoaded {
            return ["Not every row is here after all were loaded."]
        }
        if let difference = try await difference(collection) { return ["Loaded: \(difference)"] }
        // What was told of all this is to be looked at before the next batch.
        guard await wait(until: .now + .seconds(60), { await isSettled(subject) }) else {
            return ["It does not come to rest after every row was read."]
        }
        return await subject.differenceFromTold().map { ["Told: \($0)"] } ?? []
    }
}

// MARK: - Rows

extension Oracle {
    /// Every row of a query as the server has them.
    func rows(of query: Query) async throws(RemoteDataError) -> [Row] {
        var request = PageRequest(query, limit: 1_000)
        var rows: [Row] = []
        while true {
            let page = try await direct.table.page(request)
            rows += page.rows
            guard page.rows.count == request.limit, let last = page.rows.last else { return rows }
            request.start = .after(Key(last, sort: query.sort))
        }
    }

    /// How a collection differs from the server's own query; nil when it does not.
    private func difference(_ collection: RemoteDataCollection<ScenarioRow>) async throws -> String? {
        let right = try await rows(of: collection.query)
        let count = try await direct.table.count(collection.query).value
        guard count == right.count else { return "The server counts \(count) rows and gives \(right.count)." }
        let here = collection.inspect().rows
        if collection.count != count || here.count != count {
            let extra = Self.list(Set(here.compactMap { $0?.id }).subtracting(right.map(\.id)))
            return "It counts \(collection.count) rows, the server \(count). Too many: \(extra)."
        }
        for (position, (own, right)) in zip(here, right).enumerated() {
            guard let own else { continue }
            if own.id != right.id {
                return "It has row \(own.id) at \(position), where the server has \(right.id)."
            }
            if !Self.isSame(own, right) {
                return "Its row \(own.id) at \(position) is not what the server has."
            }
        }
        return nil
    }

    static func list(_ ids: Set<RowID>) -> String {
        ids.map(\.description).sorted().prefix(10).joined(separator: ", ")
    }

    private static func difference(_ here: [Row], _ right: [Row]) -> String? {
        let (ids, rightIDs) = (Set(here.map(\.id)), Set(right.map(\.id)))
        if ids != rightIDs {
            return "too many \(list(ids.subtracting(rightIDs))), missing \(list(rightIDs.subtracting(ids)))."
        }
        let other = zip(here, right).first { $0.id != $1.id || !isSame($0, $1) }
        return other.map { "row \($0.0.id) is another." }
    }

    private static func isSame(_ left: Row, _ right: Row) -> Bool {
        left.json == right.json || ScenarioValue(json: left.json) == ScenarioValue(json: right.json)
    }
}
