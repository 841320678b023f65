import RemoteData
import Synchronization

// What a collection knows, as files say it.
extension ScenarioWorld {
    /// Which stretches are here.
    static func describe(_ coverage: Coverage) -> ScenarioValue {
        func range(_ range: Range<Int>) -> ScenarioValue {
            .array([.integer(Int64(range.lowerBound)), .integer(Int64(range.upperBound))])
        }
        let intervals = coverage.intervals.map { interval -> ScenarioValue in
            .object([
                "positions": range(interval.positions), "first": ScenarioValue(interval.first.id),
                "last": ScenarioValue(interval.last.id), "reachesStart": .bool(interval.reachesStart),
                "reachesEnd": .bool(interval.reachesEnd), "isVerified": .bool(interval.verified != nil),
            ])
        }
        return .object([
            "isComplete": .bool(coverage.isComplete), "isVerified": .bool(coverage.revision != nil),
            "gaps": .array(coverage.gaps.map(range)), "intervals": .array(intervals),
        ])
    }

    static func describe(_ truth: Truth) -> ScenarioValue {
        switch truth {
        case .true: true
        case .false: false
        case .unknown: "unknown"
        }
    }

    static func describe(_ audit: Audit) -> ScenarioValue {
        func ids(_ ids: Set<RowID>) -> ScenarioValue {
            .array(ids.sorted { $0.description < $1.description }.map { ScenarioValue($0) })
        }
        return .object([
            "missing": ids(audit.missing), "extra": ids(audit.extra), "differing": ids(audit.differing),
            "compared": .integer(Int64(audit.compared)), "isSettled": .bool(audit.isSettled),
        ])
    }

    /// The rows that are here and match a clause.
    static func known(_ clause: String, in collection: RemoteDataCollection<Element>) -> ScenarioValue {
        guard let found = try? collection.loadedRows(where: clause) else { return .null }
        let ids = found.rows.map { RowID(anyIdentifier: $0.id).map { ScenarioValue($0) } ?? .null }
        return .object(["rows": .array(ids), "complete": .bool(found.isComplete)])
    }

    /// How far promises are kept.
    static func strengths(_ guarantees: Guarantees) -> [String: String] {
        [
            "iteration": "\(guarantees.iteration.strength)", "writes": "\(guarantees.writes.strength)",
            "convergence": "\(guarantees.convergence.strength)", "bounds": "\(guarantees.bounds.strength)",
            "deadlines": "\(guarantees.deadlines.strength)",
        ]
    }

    /// Opens a collection of fewer rows.
    func narrow(_ step: ScenarioStep, _ collection: RemoteDataCollection<Element>) {
        start("narrow") { [weak self] () async throws(RemoteDataError) in
            let narrowed = try await collection.narrowed(where: step.where ?? "", sort: step.sort)
            self?.state.withLock { $0.narrowed[step.name ?? ""] = narrowed }
        }
    }

    /// Compares what is here with the table.
    func audit(_ collection: RemoteDataCollection<Element>) {
        start("audit") { [weak self] () async throws(RemoteDataError) in
            let audit = try await collection.audit(sample: 1_000, seed: 1)
            self?.state.withLock { $0.audit = Self.describe(audit) }
        }
    }
}
