import CCurl
import RemoteDataExecution

/// One request on its way through the loop.
///
/// SAFETY: the mutable fields are touched by the loop's thread alone, from when the transfer is submitted.
/// What other threads touch is `handoff`, which has a lock, and constants.
final class CurlTransfer: @unchecked Sendable {
    let handoff = Handoff<HTTPResponse, NetworkError>()
    /// Where the body of an answer of success goes while it arrives; nil when it is delivered whole.
    let stream: StreamBuffer?
    /// Whether the beginning of such an answer has been delivered.
    private var isStreaming = false
    /// When the caller began to wait.
    let begin = ContinuousClock.now

    private(set) var request: HTTPRequest
    private(set) var origin: Endpoint
    /// The server that counts as busy while the transfer runs, which is the first one of a redirected
    /// request.
    let lane: String
    private var redirects = RedirectRule()

    private(set) var header = HeaderBlock()
    private(set) var body: [UInt8] = []
    /// Why the transfer was stopped from within a callback.
    private(set) var refusal: NetworkError?
    private var sent = 0
    var stall: StallWatch

    init(_ request: HTTPRequest, origin: Endpoint, stream: StreamBuffer? = nil) {
        self.request = request
        self.stream = stream
        self.origin = origin
        lane = origin.origin
        stall = StallWatch(limit: request.timeouts.stall, now: begin)
    }

    /// How much memory an answer may be given before any of it has come.
    private static let reserveLimit = 8 << 20
    private static let headerLimit = 256 << 10

    /// Takes a header line; false stops the transfer.
    func takeHeader(_ line: UnsafeRawBufferPointer) -> Bool {
        header.take(line)
        if stream != nil, !isStreaming, header.isComplete, 200..<300 ~= header.status {
            isStreaming = true
            handoff.finish(.success(answer(status: header.status, url: request.url)))
        }
        guard header.byteCount > Self.headerLimit else { return true }
        refusal = NetworkError(.tooLarge, "The answer's header is larger than \(Self.headerLimit) bytes.")
        return false
    }

    /// What becomes of a piece of the body.
    enum BodyStep {
        case taken
        /// It is to be given again when reading goes on.
        case wait
        case stop
    }

    /// Takes a piece of the body.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> BodyStep {
        if isStreaming, let stream { return stream.put(bytes) ? .taken : .wait }
        guard body.count + bytes.count <= request.bodyLimit else {
            refuseBody()
            return .stop
        }
        if body.isEmpty {
            body.reserveCapacity(
                min(max(header.contentLength ?? 0, bytes.count), Self.reserveLimit, request.bodyLimit)
            )
        }
        body.append(contentsOf: bytes)
        return .taken
    }

    func refuseBody() {
        refusal = NetworkError(
            .tooLarge,
            "The answer is larger than the limit of \(request.bodyLimit) bytes."
        )
    }

    /// Gives the next piece of the request's body.
    func giveBody(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let body = request.body else { return 0 }
        let count = min(buffer.count, body.count - sent)
        body[sent..<(sent + count)].withUnsafeBytes { buffer.copyMemory(from: $0) }
        sent += count
        return count
    }

    /// The time the transfer must be over; nil for none.
    var deadline: ContinuousClock.Instant? { request.timeouts.total.map { begin + $0 } }

    /// What to do after an answer has arrived whole: an answer to deliver, or nil to go on with another
    /// request.
    func answered(
        status: Int,
        url: String,
        location: String?
    ) -> Result<HTTPResponse, NetworkError>? {
        // libcurl takes a connection that ends within the header for an answer without a body.
        guard header.isComplete, header.status >= 200 else {
            return .failure(
                NetworkError(.closed, "The server closed the connection in the middle of an answer's header.")
            )
        }
        switch redirects.answered(request, at: origin, status: status, location: location) {
        case .follow(let next):
            guard let endpoint = try? Endpoint(next.url) else { break }
            origin = endpoint
            request = next
            header = HeaderBlock()
            body = []
            sent = 0
            return nil
        case .refuse(let reason):
            return .failure(NetworkError(.protocolError, reason))
        case .deliver:
            break
        }
        return .success(answer(status: status, url: url))
    }

    private func answer(status: Int, url: String) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: HTTPHeaders(header.fields),
            body: body,
            url: url,
            version: header.version
        )
    }

    /// Ends the transfer: its caller gets the result, or who reads the body learns that there is no more.
    func finish(_ result: Result<HTTPResponse, NetworkError>) {
        if isStreaming { stream?.end(result.map { _ in }) } else { handoff.finish(result) }
    }

    /// Whether nothing moves because nobody reads the body.
    var isPaused: Bool { stream?.isPaused ?? false }
}
