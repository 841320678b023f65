import RemoteData
import RemoteDataBackends
import Synchronization

/// The table at the server itself, with nothing in between, wherever the server listens now.
final class DirectTable: Sendable {
    private struct State {
        var server: RESTServer
        var table: RESTTable
    }

    private let state: Mutex<State>

    /// Finds the table at a port of this machine.
    init(_ name: String, at port: UInt16) throws {
        let server = try Self.server(at: port)
        state = Mutex(State(server: server, table: server.table(name)))
    }

    /// The table as it can be asked now.
    var table: RESTTable { state.withLock { $0.table } }

    /// The name of the table.
    var name: String { table.name }

    /// Follows the server to another port.
    func move(to port: UInt16) throws {
        let server = try Self.server(at: port)
        state.withLock { $0 = State(server: server, table: server.table($0.table.name)) }
    }

    /// Goes on with another table.
    func begin(_ name: String) { state.withLock { $0.table = $0.server.table(name) } }

    private static func server(at port: UInt16) throws -> RESTServer {
        try RESTServer("http://127.0.0.1:\(port)")
    }

    /// Asks for the server's revision, also while the server starts again; nil when it does not answer.
    func revision() async -> Revision? {
        for _ in 0..<3 {
            if let revision = try? await table.count(Query(nil)).revision { return revision }
        }
        return nil
    }
}
