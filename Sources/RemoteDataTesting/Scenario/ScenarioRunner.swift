public import RemoteData
import RemoteDataExecution
import Synchronization

/// Runs scenarios over collections of a model type.
///
/// ```swift
/// let result = ScenarioRunner(of: Person.self).run(try Scenario(json: file))
/// ```
///
/// A run takes place on the caller's thread, in simulated time, and touches nothing outside: no network, no clock, no other
/// thread. The same scenario does the same in every process.
public struct ScenarioRunner<Element: Codable & Identifiable & Sendable>: Sendable {
    private let wrap: @Sendable (SimulatedTable) -> any Table
    /// What is broken on purpose.
    package var defect: Defect?
    /// Whether the guarantees are checked at the end, too, when everything has healed and come to rest.
    public var checksGuarantees = true

    /// Creates a runner.
    ///
    /// - Parameters:
    ///   - type: The model of a row, with an id of text, an integer or a UUID.
    ///   - wrap: Makes the collection's table of the simulated one, for tables that lie over others. It must do its work on
    ///     the tasks that call it.
    public init(
        of type: Element.Type,
        table wrap: @escaping @Sendable (SimulatedTable) -> any Table = { $0 }
    ) { self.wrap = wrap }

    /// Runs a scenario.
    ///
    /// Blocks the caller for as long as the computing takes, usually below a millisecond for each ten steps.
    ///
    /// - Parameter scenario: The scenario.
    /// - Returns: What was not as it had to be.
    public func run(_ scenario: Scenario) -> ScenarioResult {
        do throws(RemoteDataError) {
            let world = try ScenarioWorld<Element>(scenario, defect: defect)
            return run(scenario, in: world)
        } catch {
            let failure = ScenarioFailure(step: nil, what: "collection", message: error.description)
            return ScenarioResult(failures: [failure])
        }
    }

    private func run(_ scenario: Scenario, in world: ScenarioWorld<Element>) -> ScenarioResult {
        if open(world) {
            for (number, step) in scenario.steps.enumerated() {
                world.state.withLock { $0.step = number }
                world.perform(step)
            }
            world.state.withLock { $0.step = nil }
            if checksGuarantees { world.checkGuarantees() }
        }
        world.letGo()
        var result = ScenarioResult(failures: world.state.withLock { $0.failures })
        result.trace = world.scheduler.trace
        result.steps = world.scheduler.steps
        return result
    }

    /// Fills the table and opens the collection.
    private func open(_ world: ScenarioWorld<Element>) -> Bool {
        if let problem = fill(world) {
            world.fail("table", problem.description)
            return false
        }
        let simulated = SimulatedTable(
            network: world.network,
            capabilities: capabilities(world.scenario),
            backlog: world.scenario.collection.backlog,
            defect: defect
        )
        let table = defect.map { DefectiveTable(simulated, $0) as any Table } ?? wrap(simulated)
        let options = options(world)
        let query = world.query
        let open = { @Sendable [weak world] in
            world?.start("open") { () async throws(RemoteDataError) in
                let collection = try await RemoteDataCollection<Element>(
                    table: table,
                    query: query,
                    options: options
                )
                world?.begin(collection)
            }
        }
        guard world.scenario.collection.opens ?? true else {
            world.open = { _ = open() }
            return true
        }
        open()
        world.scheduler.run(atMost: .seconds(60)) { world.state.withLock { $0.running == 0 } }
        guard world.collection == nil else { return true }
        world.fail("collection", world.state.withLock { $0.lastError } ?? "It did not open.")
        return false
    }

    private func fill(_ world: ScenarioWorld<Element>) -> RemoteDataError? {
        let table = world.server.table
        let rows = world.scenario.table.rows ?? []
        let filled = world.immediately { () async throws(RemoteDataError) in
            if !rows.isEmpty {
                var drafts: [Draft] = []
                for row in rows { drafts.append(try Draft(row.json[...], idColumn: table.idColumn)) }
                _ = try await table.commit(world.server.stamped(.create(drafts)))
            }
            await world.server.noteHistory()
        }
        if case .failure(let error) = filled { return error }
        return nil
    }

    private func capabilities(_ scenario: Scenario) -> Capabilities {
        var capabilities = Capabilities.full
        let size = scenario.table.maximumPageSize ?? capabilities.maximumPageSize
        if let names = scenario.table.capabilities {
            capabilities = Capabilities(names: names, maximumPageSize: size)
        }
        capabilities.maximumPageSize = size
        if let stamp = scenario.table.stamp {
            let overlap = Duration.milliseconds(scenario.table.stampOverlap ?? 10_000)
            capabilities.stamp = StampColumn(ColumnPath(stamp), overlap: overlap)
        }
        if scenario.table.collation != nil { capabilities.binaryOrder = false }
        return capabilities
    }

    private func options(_ world: ScenarioWorld<Element>) -> CollectionOptions {
        let (setup, scheduler) = (world.scenario.collection, world.scheduler)
        let clock = SimulatedClock(scheduler: scheduler)
        var options = CollectionOptions()
        options.pageSize = setup.pageSize ?? options.pageSize
        options.readAhead = setup.readAhead ?? options.readAhead
        options.isLive = setup.live ?? options.isLive
        options.cacheLimit = defect == .evictsNothing ? nil : setup.cacheLimit
        options.deadline = setup.deadline.map { .milliseconds($0) } ?? options.deadline
        options.delivery = scheduler.delivery
        options.clock = clock
        options.surroundings = Surroundings(
            executor: scheduler,
            deadlineClock: clock,
            chance: { scheduler.chance() },
            makeKey: { [world] in world.nextKey() }
        )
        if let backlog = setup.backlog { options.surroundings.backlogLimit = backlog }
        return options
    }
}

extension ScenarioRunner where Element == ScenarioRow {
    /// Creates a runner for rows of any columns.
    public init() { self.init(of: ScenarioRow.self) }
}
