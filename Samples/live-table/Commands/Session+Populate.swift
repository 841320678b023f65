import RemoteData
import Synchronization

extension Session {
    /// Loads every row, and shows how that goes.
    func populate() async throws(Failure) {
        let clock = ContinuousClock()
        let start = clock.now
        let rows = try await rows()
        let report = Mutex(ProgressReport(isTerminal: Output.isTerminal))
        _ = try await unlessLeftOut { () async throws(RemoteDataError) in
            try await rows.populate { progress in
                let text = report.withLock { report in
                    report.text(
                        progress,
                        after: start.duration(to: clock.now),
                        width: TerminalSize.current.columns
                    )
                }
                try? Output.write(text)
            }
        }
        let text = report.withLock { report in
            report.end(rows.loadedCount, after: start.duration(to: clock.now))
        }
        try Output.write(text)
        tellLeftOut()
    }
}
