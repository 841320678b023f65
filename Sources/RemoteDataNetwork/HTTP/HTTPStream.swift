import RemoteDataExecution
import Synchronization

/// Sends a request and hands its answer over while it arrives.
///
/// ``CurlTransport`` is the real one. A test's stub streams from memory.
package protocol HTTPStreamTransport: Sendable {
    /// Sends a request once and waits for the beginning of the answer.
    ///
    /// Never blocks the caller's thread. Of the request's timeouts, `stall` goes on to hold for the body, and so does `total`
    /// where there is one.
    /// - Parameter request: What to send.
    /// - Returns: The answer. One of success has its body still to be received; any other has come whole.
    /// - Throws: ``NetworkError`` when there is no answer.
    func open(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStream
}

/// An answer whose body is received piece by piece.
///
/// What has arrived and not been received is bounded: the network is not read any further meanwhile. The connection is let go of
/// when the stream is released.
package final class HTTPStream: Sendable {
    /// Status and header; the body too where the status is not one of success.
    package let head: HTTPResponse
    private let body: StreamBuffer

    init(_ head: HTTPResponse, body: StreamBuffer) {
        self.head = head
        self.body = body
    }

    deinit { body.close() }

    /// Waits for the next piece of the body.
    ///
    /// One reader at a time. Never blocks the caller's thread.
    /// - Returns: At least one byte; none at the end of the body.
    /// - Throws: What ended the body before its end; `closed` after ``close()``; `cancelled` when the task is, which loses
    ///   nothing.
    package func receive() async throws(NetworkError) -> [UInt8] { try await body.take() }

    /// Lets go of the connection; a waiting ``receive()`` throws `closed`.
    package func close() { body.close() }
}

/// The body of an answer between the network's thread and its reader.
final class StreamBuffer: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var isPaused = false
        var end: Result<Void, NetworkError>?
        var waiter: OneShot<Void>?
        var onResume: (@Sendable () -> Void)?
        var onClose: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// How many bytes may wait before the network is not read any further.
    static let limit = 1 << 20

    /// Says what to do when reading is to go on, and when nobody wants the rest.
    func connect(onResume: @escaping @Sendable () -> Void, onClose: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.onResume = onResume
            state.onClose = onClose
        }
    }

    /// Takes bytes from the network; false when they are to be given again once reading goes on.
    func put(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (isTaken, waiter) = state.withLock { state -> (Bool, OneShot<Void>?) in
            guard state.end == nil else { return (true, nil) }
            guard state.bytes.count < Self.limit else {
                state.isPaused = true
                return (false, nil)
            }
            state.bytes.append(contentsOf: bytes)
            return (true, state.waiter.take())
        }
        waiter?.resume(.success(()))
        return isTaken
    }

    /// Whether the network is not read, because what has come has not been received.
    var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Nothing more comes.
    func end(_ result: Result<Void, NetworkError>) {
        let waiter = state.withLock { state in
            state.end = state.end ?? result
            (state.onResume, state.onClose) = (nil, nil)
            return state.waiter.take()
        }
        waiter?.resume(.success(()))
    }

    /// Nobody wants the rest.
    func close() {
        let onClose = state.withLock { state in
            state.bytes = []
            return state.onClose
        }
        end(.failure(NetworkError(.closed, "The stream was closed by this program.")))
        onClose?()
    }

    /// What has come, at least one byte; none at the end.
    func take() async throws(NetworkError) -> [UInt8] {
        while true {
            let waiter = OneShot<Void>()
            let (ready, onResume) = state.withLock {
                state -> (Result<[UInt8], NetworkError>?, (@Sendable () -> Void)?) in
                if !state.bytes.isEmpty {
                    defer {
                        state.bytes = []
                        state.isPaused = false
                    }
                    return (.success(state.bytes), state.isPaused ? state.onResume : nil)
                }
                if let end = state.end { return (end.map { [] }, nil) }
                state.waiter = waiter
                return (nil, nil)
            }
            onResume?()
            if let ready { return try ready.get() }
            let isCancelled: Void? = try? await withTaskCancellationHandler {
                try await waiter.value()
            } onCancel: {
                waiter.resume(.failure(CancellationError()))
            }
            if isCancelled == nil { throw .cancelled }
        }
    }
}
