package import RemoteDataExecution

/// A table of a server: everything that waits for the server shares one signal.
package protocol RetryingTable: Table {
    /// Ends the waits between attempts early.
    var retrySignal: RetrySignal { get }
}

extension Table {
    /// The signal of the table's server, also through tables that wrap it; nil for a table without a server.
    var serverSignal: RetrySignal? {
        if let table = self as? any RetryingTable { return table.retrySignal }
        return (self as? any WrappingTable)?.wrapped.serverSignal
    }

    /// The signal of the table's server; a new one for a table without a server.
    func makeRetrySignal(clock: any Clock<Duration>) -> RetrySignal {
        serverSignal ?? RetrySignal(clock: clock)
    }
}
