import Foundation
import Synchronization

/// A network between clients and the server that can be broken: a TCP proxy on a free port of this machine.
package final class Proxy: Sendable {
    private struct State {
        var target: UInt16 = 0
        var isRefusing = false
        var connections: [Int: ProxyConnection] = [:]
        var last = 0
        var cuts = 0
    }

    /// Where it listens.
    package let port: UInt16
    /// What passes.
    package let gate: ProxyGate
    private let listener: Int32
    private let state = Mutex(State())

    /// Listens on a free port.
    ///
    /// - Parameter changesPath: The path of requests for changes, for ``refuseChanges(_:)``.
    /// - Throws: An error of the system's.
    package init(changesPath: String? = nil) throws {
        gate = ProxyGate(changesPath: changesPath)
        (listener, port) = try Socket.listener()
        Thread.detachNewThread { [self] in
            while case let client = accept(listener, nil, nil), client >= 0 { admit(client) }
        }
    }

    /// Listens no more, and ends every connection.
    package func close() {
        Socket.end(listener, abruptly: false)
        cutAll(abruptly: true)
    }

    /// Sends new connections to a port of this machine.
    package func forward(to port: UInt16) { state.withLock { $0.target = port } }

    /// Ends every new connection at once, or no more.
    package func refuse(_ isRefusing: Bool) { state.withLock { $0.isRefusing = isRefusing } }

    /// Ends connections that carry changes, and refuses new ones while all others pass; or admits them again.
    package func refuseChanges(_ isRefusing: Bool) {
        gate.refuseChanges(isRefusing)
        guard isRefusing else { return }
        let connections = state.withLock { Array($0.connections.values) }
        for connection in connections where connection.carriesChanges { connection.cut(abruptly: true) }
    }

    /// Ends every connection.
    package func cutAll(abruptly: Bool) {
        let connections = state.withLock { state in
            state.cuts += state.connections.isEmpty ? 0 : 1
            return Array(state.connections.values)
        }
        for connection in connections { connection.cut(abruptly: abruptly) }
    }

    /// Lets everything pass again.
    package func heal() {
        refuse(false)
        refuseChanges(false)
        gate.cutNothing()
        gate.stall(false)
    }

    /// How often connections were cut, in the middle of something or not.
    package var cuts: Int { state.withLock { $0.cuts } + gate.cuts }

    private func admit(_ client: Int32) {
        let target = state.withLock { $0.isRefusing ? nil : $0.target }
        guard let target, let server = Socket.connected(to: target) else {
            Socket.end(client, abruptly: true)
            Socket.close(client)
            return
        }
        let connection = state.withLock { state in
            state.last += 1
            let number = state.last
            let connection = ProxyConnection(client: client, server: server, gate: gate) { [self] in
                self.state.withLock { _ = $0.connections.removeValue(forKey: number) }
            }
            state.connections[number] = connection
            return connection
        }
        connection.start()
    }
}
