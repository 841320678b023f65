/// Runs generated scenarios: random tables, queries, writes, reads and faults, each from a number.
///
/// The same number makes the same scenario and the same run in every process.
public struct Simulator: Sendable {
    private var runner = ScenarioRunner(of: SimulatedItem.self)

    /// Creates a simulator.
    public init() {}

    /// Creates a simulator of something broken.
    package init(defect: Defect?) { runner.defect = defect }

    /// The scenario of a seed.
    public func scenario(seed: UInt64) -> Scenario {
        var generator = ScenarioGenerator(seed: seed)
        return generator.scenario()
    }

    /// Runs the scenario of a seed; blocks for as long as the computing takes, about a millisecond.
    public func run(seed: UInt64) -> ScenarioResult { run(scenario(seed: seed)) }

    /// Runs a scenario with rows as generated ones have.
    public func run(_ scenario: Scenario) -> ScenarioResult { runner.run(scenario) }

    /// The first of some seeds whose run is not as it has to be; nil when all are.
    public func firstFailure(in seeds: some Sequence<UInt64>) -> (seed: UInt64, result: ScenarioResult)? {
        for seed in seeds {
            let result = run(seed: seed)
            if !result.isRight { return (seed, result) }
        }
        return nil
    }

    /// The smallest scenario found that fails like another one.
    ///
    /// Takes away steps, then rows, in ever smaller parts, as long as the first failure stays of its kind ("ddmin", Zeller and
    /// Hildebrandt, 2002).
    ///
    /// - Parameters:
    ///   - scenario: One that fails.
    ///   - limit: How many runs it may take.
    /// - Returns: One that fails too; the same one when it does not fail.
    public func shrink(_ scenario: Scenario, runs limit: Int = 2_000) -> Scenario {
        guard let kind = run(scenario).failures.first?.what else { return scenario }
        var left = limit
        var best = scenario
        let fails = { (candidate: Scenario) in
            left -= 1
            return run(candidate).failures.first?.what == kind
        }
        var isSmaller = true
        while isSmaller, left > 0 {
            let before = best
            best.steps = Self.smallest(best.steps) { steps in
                var candidate = best
                candidate.steps = steps
                return left > 0 && fails(candidate)
            }
            best.table.rows = Self.smallest(best.table.rows ?? []) { rows in
                var candidate = best
                candidate.table.rows = rows
                return left > 0 && fails(candidate)
            }
            for simpler in Self.simpler(best) where left > 0 && fails(simpler) { best = simpler }
            isSmaller = best != before
        }
        return best
    }

    /// What is left of a list when every part that can be left out is.
    private static func smallest<Part>(_ parts: [Part], _ isEnough: ([Part]) -> Bool) -> [Part] {
        var parts = parts
        var size = max(1, parts.count / 2)
        while !parts.isEmpty {
            var start = 0
            while start < parts.count {
                var rest = parts
                rest.removeSubrange(start..<min(parts.count, start + size))
                if isEnough(rest) { parts = rest } else { start += size }
            }
            if size == 1 { break }
            size = max(1, size / 2)
        }
        return parts
    }

    /// The scenario without one thing or another.
    private static func simpler(_ scenario: Scenario) -> [Scenario] {
        var changes: [(inout Scenario) -> Void] = [
            { $0.seed = nil }, { $0.collection.where = nil }, { $0.collection.sort = nil },
            { $0.collection.readAhead = 0 }, { $0.collection.deadline = nil }, { $0.table.log = nil },
            { $0.table.capabilities = nil }, { $0.collection.cacheLimit = nil }, { $0.table.collation = nil },
            { $0.collection.backlog = nil },
        ]
        for index in scenario.steps.indices {
            changes.append { $0.steps[index].times = nil }
            changes.append { $0.steps[index].silently = nil }
            changes.append { $0.steps[index].ms = $0.steps[index].ms.map { $0 / 2 } }
        }
        return changes.compactMap { change in
            var simpler = scenario
            change(&simpler)
            return simpler == scenario ? nil : simpler
        }
    }
}
