import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataServer
import Testing

/// Runs a server on a free port of this machine for as long as `body` runs.
func withServer<Result>(
    _ store: any TableStore = MemoryTableStore(),
    _ configuration: TableServer.Configuration = TableServer.Configuration(),
    _ body: (URL) async throws -> Result
) async throws -> Result {
    let server = TableServer(store: store, configuration: configuration)
    let url = try await server.start()
    do {
        let result = try await body(url)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}

extension RESTConfiguration {
    /// Opens tables that have no row yet.
    static var lenient: RESTConfiguration {
        var configuration = RESTConfiguration()
        configuration.treatsMissingTablesAsEmpty = true
        return configuration
    }
}
