import CCurl
import RemoteDataExecution

/// One request on its way through the loop.
///
/// SAFETY: the mutable fields are touched by the loop's thread alone, from when the transfer is submitted.
/// What other threads touch is `handoff`, which has a lock, and constants.
final class CurlTransfer: @unchecked Sendable {
    let handoff = Handoff<HTTPResponse, NetworkError>()
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

    init(_ request: HTTPRequest, origin: Endpoint) {
        self.request = request
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
        guard header.byteCount > Self.headerLimit else { return true }
        refusal = NetworkError(.tooLarge, "The answer's header is larger than \(Self.headerLimit) bytes.")
        return false
    }

    /// Takes a piece of the body; false stops the transfer.
    func takeBody(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard body.count + bytes.count <= request.bodyLimit else {
            refuseBody()
            return false
        }
        if body.isEmpty {
            body.reserveCapacity(
                min(max(header.contentLength ?? 0, bytes.count), Self.reserveLimit, request.bodyLimit)
            )
        }
        body.append(contentsOf: bytes)
        return true
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
        let fields = HTTPHeaders(header.fields)
        return .success(
            HTTPResponse(status: status, headers: fields, body: body, url: url, version: header.version)
        )
    }
}
