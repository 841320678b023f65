public import RemoteData
package import RemoteDataExecution

extension RESTTable: RetryingTable {
    package var retrySignal: RetrySignal { server.signal }

    /// Reaches the server at once where an attempt is waited for: see ``RESTServer/reconnect()``.
    ///
    /// Never blocks.
    public func reconnect() { server.reconnect() }
}
