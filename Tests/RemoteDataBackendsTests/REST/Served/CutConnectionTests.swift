import FaultyNetwork
import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataNetwork
import RemoteDataServer
import RemoteDataTesting
import Testing

/// A connection to a real server that is cut each time it works; the waits are those that were asked for.
@Suite(.timeLimit(.minutes(1))) struct CutConnectionTests {
    private let recorder = TrafficRecorder()
    private let clock = RetryClock()

    /// The waits before another attempt, in order.
    private var waits: [Duration] { recorder.events.filter { $0.kind == .reconnect }.compactMap(\.delay) }

    /// Runs a test with a server object whose connections pass through a proxy.
    private func withProxy(_ body: (Proxy, RESTServer) async throws -> Void) async throws {
        try await withServer { url in
            let proxy = try Proxy()
            defer { proxy.close() }
            proxy.forward(to: UInt16(try #require(url.port)))
            var configuration = RESTConfiguration.lenient
            (configuration.observer, configuration.clock) = (recorder, clock)
            let server = try RESTServer(
                "http://127.0.0.1:\(proxy.port)",
                configuration: configuration,
                transport: CurlTransport(CurlTransport.Options()),
                sockets: LWSTransport(LWSTransport.Options()),
                chance: { 1 }
            )
            try await body(proxy, server)
        }
    }

    @Test("A connection that worked for a while is made again at once, however often it is cut")
    func cutConnectionsReconnectAtOnce() async throws {
        try await withProxy { proxy, server in
            let people = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
            let places = FeedReader(try await server.table("places").subscribe(to: Query(), since: nil))
            for _ in 0..<12 {
                #expect(await people.live() != nil)
                #expect(await places.live() != nil)
                clock.advance(by: .seconds(2))
                proxy.cutAll(abruptly: true)
            }
            #expect(await people.live() != nil)
            #expect(await places.live() != nil)
            #expect(waits == Array(repeating: .zero, count: 12))
        }
    }

    @Test("A connection cut as soon as it works waits a second at most")
    func shortConnectionsWaitASecondAtMost() async throws {
        try await withProxy { proxy, server in
            let people = FeedReader(try await server.table("people").subscribe(to: Query(), since: nil))
            for _ in 0..<12 {
                #expect(await people.live() != nil)
                proxy.cutAll(abruptly: true)
            }
            #expect(await people.live() != nil)
            #expect(waits.count == 12 && waits.first == .zero)
            #expect(waits.max() == .seconds(1))
        }
    }
}
