import RemoteData
import RemoteDataExecution
import RemoteDataSQLite
import Synchronization

/// Devices of two users with tables kept in step with a server's, to which happens what a plan says.
final class SyncWorld: Sendable {
    /// A write that was accepted.
    struct Accepted: Sendable {
        let mark: String
        let user: String
        let device: Int
        let table: SyncPlan.Table
        let id: RowID
        let isRemoval: Bool
        let numbers: [Int64]
        /// The value of the column that another write may leave as it is.
        var n = Value.null
        /// The list that the row belongs to.
        var list: RowID?
        /// The mark that the row had before it.
        var seen = Value.null
        /// What the user's server had done before it.
        let moment: Int
    }

    private struct State {
        var accepted: [Accepted] = []
        var failures: [String] = []
        var story: [String] = []
        var lastMark = 0
    }

    let plan: SyncPlan
    let scheduler: SimulatedScheduler
    let servers: [SyncServer]
    let devices: [SyncDevice]
    private let state = Mutex(State())

    private let tellsStory: Bool

    init(seed: UInt64, tellsStory: Bool = false, defect: SyncDefect? = nil) {
        self.tellsStory = tellsStory
        let (plan, scheduler) = (SyncPlan(seed: seed), SimulatedScheduler(seed: seed))
        let servers = SyncPlan.users.map { SyncServer(user: $0, plan, scheduler: scheduler) }
        var devices: [SyncDevice] = []
        for number in 0..<SyncPlan.deviceCount {
            devices.append(SyncDevice(number, scheduler, plan, servers: servers, defect: defect))
        }
        (self.plan, self.scheduler, self.servers, self.devices) = (plan, scheduler, servers, devices)
    }

    var failures: [String] { state.withLock { $0.failures } }
    var story: [String] { state.withLock { $0.story } }
    var accepted: [Accepted] { state.withLock { $0.accepted } }

    func fail(_ what: String) { state.withLock { $0.failures.append(what) } }

    /// The server of a user; nil for nobody.
    func server(of user: String?) -> SyncServer? { servers.first { $0.user == user } }

    /// What the server of a user has done so far.
    func moment(of user: String?) -> Int { server(of: user)?.book.moment ?? 0 }

    /// Does everything and looks whether it came to what it should.
    func run() {
        for step in plan.faultsAtFirst { take(step) }
        for number in devices.indices { attach(number, SyncPlan.users[0]) }
        note { "\(plan.capabilities) \(plan.rate) exact \(plan.isExact) shows refused \(plan.showsRefused)" }
        note { "begins \(plan.beginning), at first \(plan.faultsAtFirst)" }
        for step in plan.steps {
            note { "\(scheduler.now): \(step)" }
            take(step)
        }
        end()
    }

    /// Runs something to its end, which may fail.
    ///
    /// - Returns: Whether it ended in time.
    @discardableResult
    func perform(
        _ what: String,
        within limit: Duration = .seconds(600),
        _ body: @escaping @Sendable () async throws(RemoteDataError) -> Void
    ) -> Bool {
        let isDone = Box(false)
        scheduler.start {
            try? await body()
            isDone.value = true
        }
        guard scheduler.run(atMost: limit, until: { isDone.value }) else {
            fail("\(what) did not end")
            return false
        }
        return true
    }

    /// Runs a check to its end, which fails when the check itself does.
    func check(_ what: String, _ body: @escaping @Sendable () async throws(RemoteDataError) -> Void) {
        perform(what) { [self] () async throws(RemoteDataError) in
            do throws(RemoteDataError) { try await body() } catch { fail("\(what): \(error)") }
        }
    }

    /// Notes what happens, where that was asked for.
    func note(_ what: () -> String) {
        guard tellsStory else { return }
        let what = what()
        state.withLock { $0.story.append(what) }
    }

    func nextMark() -> String {
        state.withLock { state in
            state.lastMark += 1
            return "w\(state.lastMark)"
        }
    }

    func accept(_ accepted: Accepted) {
        note { "  \(accepted.mark) of \(accepted.id) is \(accepted.numbers)" }
        state.withLock { $0.accepted.append(accepted) }
    }
}

/// What came of something, noted on the simulation's one thread.
final class Box<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    init(_ value: Value) { state = Mutex(value) }

    var value: Value {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }
}
