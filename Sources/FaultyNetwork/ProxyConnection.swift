import Foundation
import Synchronization

/// One connection through the proxy: two sockets, and a thread for each direction.
final class ProxyConnection: Sendable {
    private struct State {
        var directions = 2
        var isCut = false
        var carriesChanges = false
    }

    private let client: Int32
    private let server: Int32
    private let gate: ProxyGate
    private let state = Mutex(State())
    private let onEnd: @Sendable () -> Void

    init(client: Int32, server: Int32, gate: ProxyGate, onEnd: @escaping @Sendable () -> Void) {
        (self.client, self.server, self.gate, self.onEnd) = (client, server, gate, onEnd)
    }

    /// Begins to hand on what comes.
    func start() {
        Thread.detachNewThread { self.carry(from: self.client, to: self.server, .up) }
        Thread.detachNewThread { self.carry(from: self.server, to: self.client, .down) }
    }

    /// Ends the connection at once.
    func cut(abruptly: Bool) {
        state.withLock { state in
            guard state.directions > 0, !state.isCut else { return }
            state.isCut = true
            for socket in [client, server] { Socket.end(socket, abruptly: abruptly) }
        }
        gate.wake()
    }

    private var isCut: Bool { state.withLock { $0.isCut } }

    /// Whether changes were asked for over it.
    var carriesChanges: Bool { state.withLock { $0.carriesChanges } }

    /// Notes a request for changes before it asks whether those are refused: a test that refuses them
    /// looks later.
    private func admits(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard gate.areRequestForChanges(bytes) else { return true }
        state.withLock { $0.carriesChanges = true }
        return !gate.isRefusingChanges
    }

    private func carry(from source: Int32, to target: Int32, _ direction: ProxyGate.Direction) {
        var bytes = [UInt8](repeating: 0, count: 16_384)
        while case let count = read(source, &bytes, bytes.count), count > 0 {
            gate.waitWhileStalled { self.isCut }
            guard direction == .down || admits(bytes[..<count]) else { break }
            let allowed = gate.allowance(count, direction)
            guard Socket.send(bytes[..<(allowed ?? count)], on: target) else { break }
            if allowed != nil { break }
        }
        cut(abruptly: false)
        let isLast = state.withLock { state in
            state.directions -= 1
            if state.directions == 0 { for socket in [client, server] { Socket.close(socket) } }
            return state.directions == 0
        }
        if isLast { onEnd() }
    }
}
