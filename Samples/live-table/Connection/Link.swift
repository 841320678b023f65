import RemoteData
import Synchronization

/// Whether a table's changes are being delivered, for whoever waits for it.
final class Link: Sendable {
    /// How it is with the delivery of changes.
    enum Status: Sendable {
        /// Not subscribed yet.
        case opening
        /// Every change comes.
        case live
        /// The connection is gone, or could not be made, for now or for good.
        case lost(RemoteDataError)
    }

    private struct State {
        var status = Status.opening
        var listeners: [AsyncStream<Status>.Continuation] = []
    }

    private let state = Mutex(State())

    /// How it is now.
    var status: Status { state.withLock { $0.status } }

    /// How it is now, and how it is after each change from now on; a slow reader sees the newest only.
    var statuses: AsyncStream<Status> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Status.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let status = state.withLock { state in
            state.listeners.append(continuation)
            return state.status
        }
        continuation.yield(status)
        return stream
    }

    /// Takes in what a feed delivers.
    func note(_ event: ChangeEvent) {
        switch event {
        case .live: set(.live)
        case .interrupted(let error): set(.lost(error))
        default: break
        }
    }

    private func set(_ status: Status) {
        let listeners = state.withLock { state in
            state.status = status
            return state.listeners
        }
        for listener in listeners { listener.yield(status) }
    }
}
