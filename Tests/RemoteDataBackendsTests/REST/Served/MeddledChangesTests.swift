import Foundation
import RemoteData
import RemoteDataNetwork
import RemoteDataServer
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteDataBackends

private struct Named: Codable, Identifiable, Sendable {
    var objectId: String
    var id: String { objectId }
}

/// Changes of a real server over a connection that loses, repeats and reorders frames.
@Suite(.timeLimit(.minutes(2))) struct MeddledChangesTests {
    /// What happens to the frame of one row, once.
    enum Fault: CaseIterable, Sendable { case lost, repeated, overtaken }

    private let clock = ManualClock()

    private func draft(_ id: String) throws -> Draft {
        try Draft(Array("{\"objectId\":\"\(id)\"}".utf8)[...], idColumn: "objectId")
    }

    private func server(_ url: URL, _ fault: Fault) throws -> RESTServer {
        var configuration = RESTConfiguration.lenient
        configuration.clock = clock
        let state = Mutex<(isDone: Bool, held: WebSocketMessage?)>((false, nil))
        let sockets = MeddlingSockets(LWSTransport(LWSTransport.Options())) { message in
            state.withLock { state in
                if let held = state.held.take() { return [message, held] }
                guard !state.isDone, message.text.contains("\"b\"") else { return [message] }
                state.isDone = true
                switch fault {
                case .lost: return []
                case .repeated: return [message, message]
                case .overtaken:
                    state.held = message
                    return []
                }
            }
        }
        let transport = CurlTransport(CurlTransport.Options())
        return try RESTServer(
            url.absoluteString,
            configuration: configuration,
            transport: transport,
            sockets: sockets
        )
    }

    @Test(arguments: Fault.allCases) func everyChangeComesOnceAndInOrder(fault: Fault) async throws {
        try await withServer { url in
            let table = try server(url, fault).table("people")
            let reader = FeedReader(try await table.subscribe(to: Query(), since: nil))
            #expect(await reader.live()?.rawValue == 0)
            let first = try await table.commit(.create([draft("a")]))
            #expect(await reader.said() == "created a")
            _ = try await table.commit(.create([draft("b"), draft("c"), draft("d")]))
            if fault == .lost {
                // The first answer's deadline, and the time that a missing frame has.
                await clock.waitForSleepers(2)
                clock.advance(by: .seconds(2))
                let revision = try #require(first.revision)
                #expect(await reader.said() == "live \(revision)")
            }
            #expect(await reader.said(3) == ["created b", "created c", "created d"])
        }
    }

    @Test(arguments: Fault.allCases) func aCollectionEndsWithTheServersRows(fault: Fault) async throws {
        try await withServer { url in
            let table = try server(url, fault).table("people")
            _ = try await table.commit(.create([draft("a")]))
            let people = try await RemoteDataCollection<Named>(table: table)
            try await people.populate()
            var changes = people.changes.makeAsyncIterator()
            _ = try await table.commit(.create([draft("b"), draft("c"), draft("d")]))
            if fault == .lost {
                await clock.waitForSleepers(2)
                clock.advance(by: .seconds(2))
            }
            while let change = await changes.next(), !change.ids.contains("d") {}
            #expect(people.snapshot().map { $0?.objectId } == ["a", "b", "c", "d"])
        }
    }
}
