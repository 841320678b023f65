import Dispatch
import Foundation
import RemoteData
import Signals

/// The program from its arguments to its exit code.
struct Program {
    private let arguments: Arguments

    init(_ arguments: Arguments) { self.arguments = arguments }

    /// Runs every batch.
    ///
    /// - Returns: 0 when everything was right, 1 when something was not, 2 when it could not be run.
    func run() async -> Int32 {
        let server: ServerProcess
        do { server = try ServerProcess() } catch {
            print("\(error)")
            return 2
        }
        Signals.observe([SIGINT, SIGTERM, SIGHUP]) { number in
            server.remove()
            exit(128 + number)
        }
        defer { server.remove() }
        do {
            let oracle = try await Oracle(arguments, server: server)
            print("table-server is process \(server.identifier ?? 0).")
            fflush(nil)
            return try await batches(oracle, server)
        } catch {
            print("It cannot go on: \(error)")
            return 2
        }
    }

    /// How long a batch may take; it waits for nothing as long.
    private static var patience: DispatchTimeInterval { .seconds(300) }

    /// Ends the program where something waits for ever.
    private static func giveUp(_ server: ServerProcess, _ message: String) {
        print(message)
        fflush(nil)
        server.remove()
        exit(1)
    }

    private func batches(_ oracle: Oracle, _ server: ServerProcess) async throws -> Int32 {
        let begin = ContinuousClock.now
        var failed = 0
        for number in 1...arguments.batches {
            let watchdog = DispatchWorkItem { Self.giveUp(server, "Batch \(number) does not end.") }
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience, execute: watchdog)
            defer { watchdog.cancel() }
            let problems = try await oracle.batch()
            guard !problems.isEmpty else { continue }
            failed += 1
            print("Seed \(arguments.seed), batch \(number) of \(arguments.batches) fails.")
            for problem in problems.prefix(20) { print("  \(problem)") }
            print("  What was done: \(oracle.trail.joined(separator: "; "))")
            fflush(nil)
            guard failed < arguments.failures, number < arguments.batches else { break }
            try await oracle.startOver()
        }
        let seconds = (ContinuousClock.now - begin) / .seconds(1)
        let tally = oracle.tally
        let perSecond = (Double(tally.batches) / seconds * 10).rounded() / 10
        print(
            "\(tally.batches) batches of seed \(arguments.seed), \(failed) failed: \(perSecond) batches per second,",
            "\(tally.changes) changes, \(tally.passes) iterations (\(tally.completePasses) complete,",
            "\(tally.failedPasses) ended with an error), \(oracle.cuts) cuts, \(tally.kills) kills,",
            "\(tally.tables + 1) tables, \(tally.histories) histories begun."
        )
        return failed == 0 ? 0 : 1
    }
}
