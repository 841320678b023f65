import Foundation
import RemoteData
import RemoteDataExecution
import Synchronization

/// Everything there is while a scenario runs.
final class ScenarioWorld<Element: Codable & Identifiable & Sendable>: Sendable {
    /// An iteration under way.
    struct Iteration: Sendable {
        let orders = ScenarioOrders()
        /// The moment of the server's history when it began, or the one that the live collection knew; nil before.
        var begin: Int?
        /// The moment that the collection knew when it began.
        var known = 0
        var taken: [RowID] = []
        var isEnded = false
    }

    /// How own writes ended.
    struct Writes: Sendable {
        /// How many there were.
        var count = 0
        /// Those that did something.
        var done: [Int] = []
        /// Those that were refused.
        var refused: [Int] = []
        /// Those that may have done something.
        var unknown = 0
    }

    /// An update that a caller asked for.
    struct RequestedUpdate: Sendable {
        /// The row as the caller was given it; nil where it is not from the collection.
        let original: ScenarioValue?
        /// What the caller made of it.
        let element: ScenarioValue
    }

    /// A change of a row that was reported.
    struct Report: Hashable {
        let id: RowID
        let revision: Revision
    }

    struct State: Sendable {
        var collection: RemoteDataCollection<Element>?
        var events: [ScenarioValue] = []
        var replica: ScenarioReplica?
        /// What has been reported, and how, since everything was to be looked at again.
        var reports: [Report: EventType] = [:]
        var lastError: String?
        /// What the error handler was told since the last expectation.
        var errors: [String] = []
        /// How it was with the delivery of changes since then.
        var statuses: [String] = []
        var listeners: [String: ScenarioListener] = [:]
        var narrowed: [String: RemoteDataCollection<Element>] = [:]
        var audit: ScenarioValue = .null
        /// How many requests the handlers were told of that have not ended.
        var openRequests = 0
        var iterations: [String: Iteration] = [:]
        var running = 0
        var writes = Writes()
        var keys = 0
        /// The rows that could not be read for a while.
        var spoiled: Set<RowID> = []
        /// Whether every row was loaded, and nothing has asked for them to be read anew since.
        var isPopulated = false
        /// The last moment of the server at which the collection was at rest and had all changes.
        var restMoment = 0
        /// The last status that was delivered, and when.
        var lastStatus: String?
        var lastStatusTime = Duration.zero
        /// Whether the server has refused what would end the interruption under way, or has asked for time.
        var isHeldOff = false
        /// By how much the longest interruption since everything was well was too long.
        var overlongInterruption = Duration.zero
        /// When everything was well again.
        var healed: Duration?
        /// When it ceased to be that the collection catches up.
        var caughtUp: Duration?
        /// The versions of each row that callers were given, the oldest first.
        var versions: [RowID: [ScenarioValue]] = [:]
        /// What callers have asked to be changed.
        var updates: [RowID: [RequestedUpdate]] = [:]
        var failures: [ScenarioFailure] = []
        var step: Int?
        /// The requests that were sent before the last expectation.
        var requestsSeen: [String: Int] = [:]
    }

    let scheduler: SimulatedScheduler
    let server: SimulatedServer
    let network: SimulatedNetwork
    let scenario: Scenario
    let state = Mutex(State())
    let query: Query
    /// Makes a table with an epoch of this number.
    let makeTable: @Sendable (UInt32) -> MemoryTable
    let defect: Defect?
    /// Opens the collection, where that is a step of the scenario.
    var open: (@Sendable () -> Void)? {
        get { opening.withLock { $0 } }
        set { opening.withLock { $0 = newValue } }
    }
    private let opening = Mutex<(@Sendable () -> Void)?>(nil)
    /// Whether what is abandoned is kept, which it must not be.
    var keepsIterations: Bool { defect == .iterationsKept }

    init(_ scenario: Scenario, defect: Defect? = nil) throws(RemoteDataError) {
        self.defect = defect
        self.scenario = scenario
        let clause = scenario.collection.where ?? ""
        query = Query(try Where.parse(clause), sort: try SortTerm.parse(scenario.collection.sort ?? ""))
        scheduler = SimulatedScheduler(seed: scenario.seed)
        makeTable = Self.tables(of: scenario)
        let table = makeTable(1)
        server = SimulatedServer(
            table: table,
            ordered: scenario.table.ordered(table),
            query: query,
            stamp: scenario.table.stamp,
            scheduler: scheduler
        )
        network = SimulatedNetwork(scheduler: scheduler, server: server)
    }

    /// Makes the tables of a scenario, each with an epoch; their new ids go on from one to the next.
    private static func tables(of scenario: Scenario) -> @Sendable (UInt32) -> MemoryTable {
        let ids = Atomic<Int64>(0)
        let usesIntegers = scenario.table.integerIDs ?? false
        return { epoch in
            MemoryTable(
                "rows",
                logCapacity: scenario.table.log ?? 100_000,
                epoch: scenario.table.epochs ?? true ? Epoch(rawValue: epoch) : nil
            ) {
                let number = ids.wrappingAdd(1, ordering: .relaxed).newValue
                return usesIntegers ? .integer(1_000 + number) : .text("new-\(number)")
            }
        }
    }

    /// The collection; there is one from the beginning to the end.
    var collection: RemoteDataCollection<Element>? { state.withLock { $0.collection } }

    /// Notes that something was not as it had to be.
    func fail(_ what: String, _ message: String) {
        state.withLock { state in
            if state.failures.count < 20 {
                state.failures.append(ScenarioFailure(step: state.step, what: what, message: message))
            }
        }
    }

    /// Does something that waits for nothing.
    func immediately<Value: Sendable>(
        _ body: @escaping @Sendable () async throws(RemoteDataError) -> Value
    ) -> Result<Value, RemoteDataError> {
        let box = Mutex<Result<Value, RemoteDataError>?>(nil)
        Task(executorPreference: InlineExecutor.shared) {
            do throws(RemoteDataError) {
                let value = try await body()
                box.withLock { $0 = .success(value) }
            } catch { box.withLock { $0 = .failure(error) } }
        }
        return box.withLock { $0 } ?? .failure(RemoteDataError(.timedOut, "It did not end at once."))
    }
}
