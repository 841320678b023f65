import RemoteDataExecution
import Foundation
import Synchronization

/// One socket, shared by its user and the loop's thread.
///
/// SAFETY: `loopSide` is touched by the loop's thread alone; everything else is constant or behind the lock.
final class LWSConnection: @unchecked Sendable {
    private struct State {
        var incoming: ReceiveBuffer
        var reader: Handoff<[WebSocketMessage], NetworkError>?
        var outgoing: [Outgoing] = []
        var unsentBytes = 0
        var nextID = 0
        var end: Result<Void, NetworkError>?
    }

    let request: WebSocketRequest
    let endpoint: Endpoint
    /// The numeric address to connect to.
    let address: String
    /// The time for the handshake.
    let limit: Duration
    let extraCAFile: String?
    let observe: NetworkObserver?
    /// Resumed with the subprotocol when the socket is open.
    let handshake = Handoff<String?, NetworkError>()
    var loopSide: LWSLoopSide

    private let state: Mutex<State>

    init(
        _ request: WebSocketRequest,
        _ endpoint: Endpoint,
        address: String,
        limit: Duration,
        options: LWSTransport.Options
    ) {
        self.request = request
        self.endpoint = endpoint
        self.address = address
        self.limit = limit
        extraCAFile = options.extraCAFile
        observe = options.observe
        loopSide = LWSLoopSide(request.limits)
        state = Mutex(State(incoming: ReceiveBuffer(request.limits)))
    }

    // MARK: Sending

    /// Puts a message into the queue; true when the loop must be told.
    func enqueue(_ message: WebSocketMessage) throws(NetworkError) -> (Outgoing, wakes: Bool) {
        let limit = request.limits.unsentBytes
        let result = state.withLock { state -> Result<(Outgoing, Bool), NetworkError> in
            if let end = state.end { return .failure(Self.closed(end)) }
            guard state.unsentBytes == 0 || state.unsentBytes + message.bytes.count <= limit else {
                return .failure(NetworkError(.overloaded, "More than \(limit) bytes are waiting to be sent."))
            }
            state.nextID += 1
            let entry = Outgoing(message, id: state.nextID)
            state.outgoing.append(entry)
            state.unsentBytes += entry.count
            return .success((entry, state.outgoing.count == 1))
        }
        return try result.get()
    }

    /// Takes back a message that has not begun to be sent.
    func withdraw(_ id: Int) {
        state.withLock { state in
            guard let index = state.outgoing.firstIndex(where: { $0.id == id }) else { return }
            state.unsentBytes -= state.outgoing.remove(at: index).count
        }
    }

    /// The next message to send.
    func dequeue() -> Outgoing? { state.withLock { $0.outgoing.isEmpty ? nil : $0.outgoing.removeFirst() } }

    /// A message has been handed to the operating system.
    func sent(_ message: Outgoing) {
        state.withLock { $0.unsentBytes -= message.count }
        message.handoff.finish(.success(()))
        observe?(.sent(url: request.url, bytes: message.count))
    }

    // MARK: Receiving

    /// Gives what has arrived to a reader, or makes it wait; true when reading from the network is to go on.
    ///
    /// A reader that was cancelled meanwhile takes nothing: what it was to get stays for the next one.
    func read(into reader: Handoff<[WebSocketMessage], NetworkError>) -> Bool {
        let (answer, resumes) = state.withLock {
            state -> (Handoff<[WebSocketMessage], NetworkError>.Answer?, Bool) in
            if !state.incoming.isEmpty {
                let (messages, resumes) = state.incoming.takeAll()
                return (.success(messages), resumes)
            }
            if let end = state.end { return (end.map { [] }, false) }
            if let other = state.reader, !other.isFinished {
                return (.failure(NetworkError(.invalidRequest, "The socket has a reader already.")), false)
            }
            state.reader = reader
            return (nil, false)
        }
        guard let answer, !reader.finish(answer), case .success(let messages) = answer else { return resumes }
        state.withLock { $0.incoming.putBack(messages, pauses: resumes) }
        return false
    }

    /// A reader has given up.
    func stopReading(_ reader: Handoff<[WebSocketMessage], NetworkError>) {
        state.withLock { if $0.reader === reader { $0.reader = nil } }
    }

    /// A message has arrived; true when nothing more is to be read from the network.
    func deliver(_ message: WebSocketMessage) -> Bool {
        observe?(.received(url: request.url, bytes: message.bytes.count))
        while true {
            let (reader, pauses) = state.withLock {
                state -> (Handoff<[WebSocketMessage], NetworkError>?, Bool) in
                if state.end != nil { return (nil, false) }
                guard let reader = state.reader else { return (nil, state.incoming.add(message)) }
                state.reader = nil
                return (reader, false)
            }
            guard let reader else { return pauses }
            if reader.finish(.success([message])) { return false }
        }
    }

    // MARK: The end

    /// The socket has ended: in order, or by a failure that readers learn after what has arrived before it.
    func end(_ result: Result<Void, NetworkError>) {
        let ended = state.withLock {
            state -> (reader: Handoff<[WebSocketMessage], NetworkError>?, unsent: [Outgoing])? in
            guard state.end == nil else { return nil }
            state.end = result
            defer {
                state.reader = nil
                state.outgoing = []
            }
            return (state.reader, state.outgoing)
        }
        guard let ended else { return }
        ended.reader?.finish(result.map { [] })
        for message in ended.unsent { message.handoff.finish(.failure(Self.closed(result))) }
        if case .failure(let error) = result { handshake.finish(.failure(error)) }
    }

    private static func closed(_ end: Result<Void, NetworkError>) -> NetworkError {
        switch end {
        case .success: NetworkError(.closed, "The socket has been closed.")
        case .failure(let error): error
        }
    }
}
