public import RemoteData
package import RemoteDataExecution

extension BackendlessTable: RetryingTable {
    package var retrySignal: RetrySignal { server.signal }

    /// Reaches the server at once where an attempt is waited for: see ``BackendlessServer/reconnect()``.
    ///
    /// Never blocks.
    public func reconnect() { server.reconnect() }
}
