import RemoteDataExecution

// Waits between attempts, and their early end.
extension RemoteDataCollection {
    /// Reaches the table at once where an attempt is waited for, as when a user asks for it.
    ///
    /// Never blocks. Ends the waits between attempts of this collection, and of everything else over its
    /// server: see ``Table/reconnect()``. A wait that the server has asked for is kept. Does nothing while
    /// ``liveStatus`` is live.
    public func reconnect() {
        if table.serverSignal == nil { options.surroundings.retrySignal.wake() }
        table.reconnect()
    }
}

extension CollectionOptions {
    /// Waits before another attempt.
    ///
    /// - Parameters:
    ///   - failures: How many attempts have failed, one or more.
    ///   - error: Why the last of them has, if it has.
    /// - Returns: False when the task is cancelled.
    func pause(afterFailures failures: Int, because error: RemoteDataError? = nil) async -> Bool {
        let delay = surroundings.delay(afterFailures: failures, because: error)
        return await pause(for: delay, because: error)
    }

    /// Waits for a delay, unless it is ended early; false when the task is cancelled.
    func pause(for delay: Duration, because error: RemoteDataError?) async -> Bool {
        await surroundings.pause(for: delay, because: error, clock: clock)
    }
}
