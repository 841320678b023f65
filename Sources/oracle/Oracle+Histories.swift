import FaultyNetwork
import RemoteData
import RemoteDataTesting

// Servers whose revisions are of another history.
extension Oracle {
    /// Kills the server, and begins another history.
    func beginAnew(_ history: NewHistory) async throws {
        tally.histories += 1
        if case .copy(let lost, let milliseconds, _) = history {
            try await server.kill()
            try server.keepCopy()
            try await restart()
            for write in lost { await perform(write) }
            try await Task.sleep(for: .milliseconds(milliseconds))
        }
        tally.kills += 1
        try await server.kill()
        try await server.readChanges(of: direct.name, noting: &log)
        let last = log.revision
        switch history {
        case .sameRows: break
        case .copy: try server.restoreCopy()
        case .nothing: try server.removeData()
        }
        let port = try await server.start(beginsNewEpoch: true)
        try direct.move(to: port)
        try await noteHistory()
        if case .copy(_, _, let write?) = history { try await overtake(last, by: write) }
        proxy.forward(to: port)
        if case .nothing(let milliseconds, let write) = history {
            try await Task.sleep(for: .milliseconds(milliseconds))
            await perform(write)
        }
    }

    /// Notes what the server has at the begin of its history.
    private func noteHistory() async throws {
        guard let revision = await direct.revision() else {
            throw ServerProcess.Failure(description: "The server does not answer at the begin of a history.")
        }
        log.beginHistory(try await rows(of: Query(nil)), at: revision)
    }

    /// Repeats a write until the server's revision has passed one of another history.
    private func overtake(_ last: Revision, by write: OtherWrite) async throws {
        for _ in 0..<10_000 {
            await perform(write)
            guard let revision = await direct.revision() else { return }
            if revision.rawValue > last.rawValue { return }
        }
    }
}
