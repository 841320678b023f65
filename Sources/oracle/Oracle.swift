import FaultyNetwork
import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataTesting

/// Collections behind a proxy, a server that others write to, and what the server itself has to say.
final class Oracle {
    /// What was done so far.
    struct Tally {
        var batches = 0
        var changes = 0
        var passes = 0
        var completePasses = 0
        var failedPasses = 0
        var kills = 0
        /// How many tables there are beside the first.
        var tables = 0
        /// How often the server began another history.
        var histories = 0
    }

    let arguments: Arguments
    let server: ServerProcess
    let proxy: Proxy
    var planner: Planner
    var tally = Tally()
    /// What was done in the batch, in words.
    var trail: [String] = []
    var log = TableLog()
    /// The table without anything in between.
    let direct: DirectTable
    var subjects: [Subject] = []
    /// The writes of others in the batch.
    var others: [SentWrite] = []
    /// The writes of others that failed although nothing was between them and the server.
    var refused: [String] = []
    /// When the first thing of the batch was broken; nil where nothing is.
    var faultTime: ContinuousClock.Instant?
    /// When nothing was broken any more.
    var healTime = ContinuousClock.now
    private let behindProxy: [RESTServer]

    /// How often the network was cut.
    var cuts: Int { proxy.cuts }

    /// Starts the server, fills the table and opens the collections.
    ///
    /// - Throws: When one of it is not possible.
    init(_ arguments: Arguments, server: ServerProcess) async throws {
        self.arguments = arguments
        self.server = server
        proxy = try Proxy(changesPath: "/api/changes")
        planner = Planner(arguments)
        let port = try await server.start()
        proxy.forward(to: port)
        direct = try DirectTable("rows", at: port)
        var configuration = RESTConfiguration()
        configuration.clock = HurriedClock()
        configuration.connectTimeout = .seconds(2)
        configuration.stallTimeout = .seconds(5)
        configuration.deadline = .seconds(300)
        configuration.attempts = 8
        // Two clients, each with a socket for all of its collections.
        behindProxy = try [0, 1].map { [proxy] _ in
            try RESTServer("http://127.0.0.1:\(proxy.port)", configuration: configuration)
        }
        let drafts = try planner.firstRows().map { try Draft($0.json[...], idColumn: "objectId") }
        for start in stride(from: 0, to: drafts.count, by: 1_000) {
            _ = try await direct.table.commit(.create(Array(drafts[start...].prefix(1_000))))
        }
        try await log.read(from: direct.table)
        try await startOver()
    }

    /// Opens every collection anew.
    func startOver() async throws {
        subjects = []
        for number in 0..<arguments.collections { subjects.append(try await subject(number)) }
    }

    /// Opens another collection in the place of one.
    func subject(_ number: Int) async throws -> Subject {
        let table: any Table = behindProxy[number % behindProxy.count].table(direct.name)
        let broken = arguments.defect.map { DefectiveTable(table, $0, spoilsChanges: true) }
        let subject = try await Subject(broken ?? table, planner.query(), planner.options())
        guard await wait(until: .now + .seconds(30), { await subject.listen() }) else {
            throw ServerProcess.Failure(description: "A collection does not come to rest: \(subject.name)")
        }
        return subject
    }

    /// How long after the last fault everything is right again at the latest: attempts come every few seconds.
    static var patience: Duration { .seconds(10) }

    /// Whether something of the batch had been broken at a time.
    func isBroken(at time: ContinuousClock.Instant) -> Bool { faultTime.map { $0 <= time } ?? false }

    /// Waits until something is so.
    ///
    /// - Returns: Whether it became so in time.
    func wait(until deadline: ContinuousClock.Instant, _ condition: () async -> Bool) async -> Bool {
        while await !condition() {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return true
    }
}
