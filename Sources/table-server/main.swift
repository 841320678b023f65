import Foundation
import RemoteData
import RemoteDataServer
var configuration = TableServer.Configuration()
configuration.log = { print($0) }
let server = TableServer(store: MemoryTableStore(), configuration: configuration)
let url = try await server.start()
print(url)
signal(SIGTERM, SIG_IGN)
let source = DispatchSource.makeSignalSource(signal: SIGTERM)
await withCheckedContinuation { (c: CheckedContinuation<Void, Never>) in
    source.setEventHandler { source.cancel(); c.resume() }
    source.resume()
}
await server.stop()
print("stopped")
