/// Sends one request and waits for its whole answer.
///
/// ``CurlTransport`` is the real one. A test's stub answers from memory.
package protocol HTTPTransport: Sendable {
    /// Sends a request once.
    ///
    /// Never blocks the caller's thread. Ends at the latest when a timeout of the request passes, and at
    /// once when the task is cancelled. Any status is an answer, not an error.
    /// - Parameter request: What to send.
    /// - Returns: The answer with its whole body.
    /// - Throws: ``NetworkError`` when there is no answer, or none within the request's limits.
    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse
}
