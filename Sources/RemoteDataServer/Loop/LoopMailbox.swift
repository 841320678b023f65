import CLibWebSockets
import Synchronization

/// What other threads have for a server's loop; the loop takes it when it is woken.
///
/// There is at most one answer for each connection and one wake-up for each WebSocket at a time, so it stays
/// small.
final class LoopMailbox: Sendable {
    /// Something for the loop to do.
    enum Message: Sendable {
        case answered(connection: UInt64, HTTPAnswer)
        case framesWait(socket: UInt64)
        case subscriptionEnded(socket: UInt64, id: String, number: Int)
        case stop
    }

    private struct State {
        var messages: [Message] = []
        // SAFETY: libwebsockets allows any thread to cancel the service of a context that exists; the loop
        // takes the pointer away, under the lock, before it destroys the context.
        nonisolated(unsafe) var context: OpaquePointer?
        var isClosed = false
    }

    private let state = Mutex(State())

    /// Lets the loop be woken through its context from now on; nil for no longer.
    func connect(_ context: OpaquePointer?) {
        // SAFETY: handed over under the lock; see `State.context`.
        nonisolated(unsafe) let context = context
        state.withLock { state in
            state.context = context
            if let context, !state.messages.isEmpty { lws_cancel_service(context) }
        }
    }

    /// Leaves something for the loop, unless it has ended; never blocks.
    func post(_ message: Message) {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.messages.append(message)
            // One wake-up is enough for all that the loop has not taken yet.
            if state.messages.count == 1, let context = state.context { lws_cancel_service(context) }
        }
    }

    /// What was left since the last time, for the loop.
    func take() -> [Message] {
        state.withLock { state in
            defer { state.messages = [] }
            return state.messages
        }
    }

    /// Takes nothing more.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.messages = []
        }
    }
}
