import RemoteData
import Signals

extension Session {
    /// Prints each change as one line of JSON, until the time is over or a signal comes.
    ///
    /// The first line says that changes come from now on: `{"type":"watching","count":…}`.
    func watch() async throws(Failure) {
        let endings = Signals.stream(of: Signals.endings)
        try await race(
            { for await _ in endings { break } },
            { await arguments.timeIsOver() },
            { try await follow() }
        )
    }

    private func follow() async throws(Failure) {
        let rows = try await rows(pageSize: 100, isLive: true)
        guard table.capabilities.liveChanges else {
            throw Failure(
                "\(arguments.address.server) does not tell about changes, so there is nothing to watch."
            )
        }
        let changes = rows.changes
        guard try await untilLive(rows) else { return }
        try Output.write(#"{"type":"watching","count":\#(rows.count)}"# + "\n")
        try await race(
            { for await change in changes { try Output.write(change.line { shown($0) } + "\n") } },
            { try await tellOfTheConnection(rows) }
        )
    }

    /// Waits until no change is missed; false when the task was cancelled before.
    private func untilLive(_ rows: RemoteDataCollection<LiveRow>) async throws(Failure) -> Bool {
        var said = ""
        for await status in rows.liveStatuses {
            if case .interrupted(let error) = status { try note(error, &said) }
            if status.isLive { return !Task.isCancelled }
        }
        return false
    }

    /// Says on standard error when changes stop coming, and when they come again.
    private func tellOfTheConnection(_ rows: RemoteDataCollection<LiveRow>) async throws(Failure) {
        var wasLive = true
        var said = ""
        for await status in rows.liveStatuses {
            if case .interrupted(let error) = status { try note(error, &said) }
            if status.isLive, !wasLive {
                Output.complain("live-table: changes come again.")
                said = ""
            }
            wasLive = status.isLive
        }
    }

    /// Goes on waiting after a failure that may pass, and says so once; gives up after any other.
    private func note(_ error: RemoteDataError, _ said: inout String) throws(Failure) {
        let failure = Failure(error, arguments)
        guard error.isTransient else {
            guard let message = failure.message, error.code == .notFound, error.status != nil else {
                throw failure
            }
            throw Failure("\(message) Is there something in between that lets no WebSocket through?")
        }
        let line = "live-table: no changes come for now, trying again. \(failure.message ?? "")"
        if line != said { Output.complain(line) }
        said = line
    }
}

extension Arguments {
    /// Returns after the time of `--for`, or when the task is cancelled.
    func timeIsOver() async {
        try? await Task.sleep(for: seconds.map { .seconds($0) } ?? .seconds(1_000_000_000))
    }
}
