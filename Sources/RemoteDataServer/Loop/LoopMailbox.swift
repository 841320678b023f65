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
        var isClosed = false
    }

    private struct Bell {
        // SAFETY: libwebsockets allows any thread to cancel the service of a context that exists; the loop
        // takes the pointer away, under the lock, before it destroys the context.
        nonisolated(unsafe) var context: OpaquePointer?
    }

    private let state = Mutex(State())
    /// Apart from the messages, so that nobody waits for a message to be left while the loop is woken.
    private let bell = Mutex(Bell())

    /// Lets the loop be woken through its context from now on; nil for no longer.
    func connect(_ context: OpaquePointer?) {
        // SAFETY: handed over under the lock; see `Bell.context`.
        nonisolated(unsafe) let context = context
        bell.withLock { $0.context = context }
        // What was left before has rung no bell.
        ring()
    }

    /// Leaves something for the loop, unless it has ended; never blocks.
    func post(_ message: Message) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            state.messages.append(message)
            return state.messages.count == 1
        }
        // Once is enough for all that the loop has not taken yet.
        if isFirst { ring() }
    }

    private func ring() {
        bell.withLock { bell in
            if let context = bell.context { lws_cancel_service(context) }
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
