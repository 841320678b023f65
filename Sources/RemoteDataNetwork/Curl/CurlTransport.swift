import RemoteDataExecution

/// HTTP over libcurl.
///
/// All requests of a transport share one thread, its connections and its DNS cache; connections are kept
/// alive, and HTTP/2 is used where the server offers it over TLS. Certificates are always verified. A proxy
/// is taken from the environment (`http_proxy`, `https_proxy`, `no_proxy`), except for this machine itself.
/// Making one is cheap, but connections are shared only within one: keep it as long as the server is used.
/// Its thread ends when it is released; requests under way then fail with `closed`.
package final class CurlTransport: HTTPTransport, HTTPStreamTransport {
    /// What can be chosen.
    package struct Options: Sendable {
        /// A file with certificates in PEM format to trust besides the system's.
        package var extraCAFile: String?
        /// Whether requests to this machine go through the proxy of the environment too.
        package var proxiesLoopback = false
        /// How many requests to one server run at a time; others wait their turn.
        package var requestsPerServer = 24
        /// How many requests run at a time; others wait their turn.
        package var requests = 256
        /// The value of the header `User-Agent`.
        package var userAgent = "RemoteDataCollection"

        /// Creates the defaults.
        package init() {}
    }

    private let loop: CurlLoop?

    /// Creates a transport; its thread starts with the first request.
    package init(_ options: Options = Options()) { loop = CurlLoop(options) }

    deinit { loop?.stop() }

    /// Sends a request once; redirects of `GET` and `HEAD` are followed as ``HTTPTransport/send(_:)``
    /// documents.
    ///
    /// A read is sent a second time by libcurl itself when a kept-alive connection turns out to be closed.
    /// A write without an `Idempotency-Key` is not.
    /// - Parameter request: What to send.
    /// - Returns: The answer with its whole body.
    /// - Throws: ``NetworkError``.
    package func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        try await perform(request, stream: nil)
    }

    /// Sends a request once and waits for the beginning of its answer; see ``HTTPStreamTransport/open(_:)``.
    ///
    /// The stream counts as a request to its server for as long as it is open.
    /// - Parameter request: What to send.
    /// - Returns: The answer, its body to be received.
    /// - Throws: ``NetworkError``.
    package func open(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStream {
        let buffer = StreamBuffer()
        let head = try await perform(request, stream: buffer)
        if !head.isSuccess { buffer.end(.success(())) }
        return HTTPStream(head, body: buffer)
    }

    private func perform(
        _ request: HTTPRequest,
        stream: StreamBuffer?
    ) async throws(NetworkError) -> HTTPResponse {
        guard let loop else { throw NetworkError(.unavailable, "libcurl could not be initialized.") }
        let transfer = CurlTransfer(request, origin: try Endpoint(request.url), stream: stream)
        stream?.connect(
            onResume: { [weak transfer] in if let transfer { loop.resume(transfer) } },
            onClose: { [weak transfer] in if let transfer { loop.cancel(transfer) } }
        )
        if let field = request.headers.fields.first(where: { !$0.isWellFormed }) {
            throw NetworkError(
                .invalidRequest,
                "The header \(field.name) cannot be sent: it holds a control character."
            )
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if transfer.handoff.start(continuation) { loop.submit(transfer) }
            }
        } onCancel: {
            // Before the request was submitted this is enough; after it, the loop lets go of the connection.
            if transfer.handoff.finish(.failure(.cancelled)) { loop.cancel(transfer) }
        }
        return try result.get()
    }
}
