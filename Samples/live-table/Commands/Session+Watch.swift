import RemoteData

extension Session {
    /// Prints each change as one line of JSON, until the time is over or a signal comes.
    ///
    /// The first line says that changes come from now on: `{"type":"watching","count":…}`.
    func watch() async throws(Failure) {
        let endings = Signals.stream(of: Signals.endings)
        let rows = try await rows(pageSize: 100, isLive: true)
        guard table.capabilities.liveChanges else {
            throw Failure(
                "\(arguments.address.server) does not tell about changes, so there is nothing to watch."
            )
        }
        let changes = rows.changes
        try await race(
            { for await _ in endings { break } },
            {
                try await untilLive(rows)
                try Output.write(#"{"type":"watching","count":\#(rows.count)}"# + "\n")
                try await race(
                    { for await change in changes { try Output.write(change.line { shown($0) } + "\n") } },
                    { try await tellOfTheConnection(rows) },
                    { await arguments.timeIsOver() }
                )
            }
        )
    }

    private func untilLive(_ rows: RemoteDataCollection<LiveRow>) async throws(Failure) {
        for await status in rows.liveStatuses {
            if case .interrupted(let error) = status { try note(error) }
            if status.isLive { return }
        }
    }

    /// Says on standard error when changes stop coming, and when they come again.
    private func tellOfTheConnection(_ rows: RemoteDataCollection<LiveRow>) async throws(Failure) {
        var wasLive = true
        for await status in rows.liveStatuses {
            if case .interrupted(let error) = status { try note(error) }
            if status.isLive, !wasLive { Output.complain("live-table: changes come again.") }
            wasLive = status.isLive
        }
    }

    /// Goes on waiting after a failure that may pass, and gives up after any other.
    private func note(_ error: RemoteDataError) throws(Failure) {
        let failure = Failure(error, arguments)
        guard error.isTransient else { throw failure }
        Output.complain("live-table: no changes come for now, trying again. \(failure.message ?? "")")
    }
}

extension Arguments {
    /// Returns after the time of `--for`, or when the task is cancelled.
    func timeIsOver() async {
        try? await Task.sleep(for: seconds.map { .seconds($0) } ?? .seconds(1_000_000_000))
    }
}
