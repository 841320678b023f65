import Foundation
import RemoteData
import RemoteDataServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LifetimeTests {
    @Test func manyServersRunInOneProcess() async throws {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<12 {
                group.addTask {
                    try await withServer { port in
                        let client = try TestConnection(port: port)
                        let listener = try TestConnection(socketAt: port)
                        try listener.say(#"{"type":"subscribe","id":"s","table":"t"}"#)
                        _ = try listener.hear()
                        let row = #"{"objectId":\#(index)}"#
                        #expect(try client.ask("POST", "/api/data/t", row).text == row)
                        #expect(try listener.hear().contains("\"objectId\":\(index)"))
                        return port
                    }
                }
            }
            let ports = try await group.reduce(into: Set<Int>()) { $0.insert($1) }
            #expect(!ports.isEmpty)
        }
    }

    @Test func aStoppedServerHasLeftItsPort() async throws {
        // Anybody may take the port in between; that it was left is seen as soon as nobody does.
        var hasRestarted = false
        for _ in 0..<50 where !hasRestarted {
            let server = TableServer(store: MemoryTableStore())
            var configuration = TableServer.Configuration()
            configuration.port = try #require(try await server.start().port)
            await server.stop()
            await server.stop()
            let next = TableServer(store: MemoryTableStore(), configuration: configuration)
            hasRestarted = (try? await next.start())?.port == configuration.port
            await next.stop()
        }
        #expect(hasRestarted)
    }

    @Test func aServerIsStartedOnce() async throws {
        let server = TableServer(store: MemoryTableStore())
        _ = try await server.start()
        let error = await #expect(throws: TableServerError.self) { try await server.start() }
        #expect(error?.code == .started)
        await server.stop()
        await #expect(throws: TableServerError.self) { try await server.start() }
        let unused = TableServer(store: MemoryTableStore())
        await unused.stop()
        await #expect(throws: TableServerError.self) { try await unused.start() }
    }

    @Test func aPortInUseIsTold() async throws {
        let first = TableServer(store: MemoryTableStore())
        var configuration = TableServer.Configuration()
        configuration.port = try #require(try await first.start().port)
        let second = TableServer(store: MemoryTableStore(), configuration: configuration)
        let error = await #expect(throws: TableServerError.self) { try await second.start() }
        #expect(error?.code == .address)
        #expect(error?.message.contains("in use") == true)
        await second.stop()
        await first.stop()
    }

    @Test(arguments: [
        ("0.0.0.0", nil, TableServerError.Code.configuration), ("127.0.0.1", " ", .configuration),
        ("no.such.host.invalid", "t", .address),
        ("203.0.113.1", "t", .address),
    ])
    func aBadConfigurationIsRefused(host: String, token: String?, code: TableServerError.Code) async throws {
        var configuration = TableServer.Configuration()
        configuration.host = host
        configuration.token = token
        let server = TableServer(store: MemoryTableStore(), configuration: configuration)
        let error = await #expect(throws: TableServerError.self) { try await server.start() }
        #expect(error?.code == code)
    }

    @Test func stoppingFinishesARequestAndClosesTheRest() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let store = HangingStore { arrived.yield() }
        let server = TableServer(store: store)
        let port = try #require(try await server.start().port)
        let client = try TestConnection(port: port)
        try client.send(TestConnection.request("GET", "/api/data/t"))
        for await _ in arrivals { break }
        let idle = try TestConnection(port: port)
        let listener = try await onThread { try TestConnectionBox(TestConnection(socketAt: port)) }
        async let stopped: Void = server.stop()
        #expect(try await onThread { try listener.connection.closeCode() } == 1001)
        store.release()
        let answer = try client.answer()
        #expect(answer.status == 404)
        #expect(answer.fields["connection"] == "close")
        try client.waitForClose()
        try idle.waitForClose()
        await stopped
    }

    @Test func stoppingDoesNotWaitForeverForAStorage() async throws {
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let store = HangingStore { arrived.yield() }
        var configuration = TableServer.Configuration()
        configuration.deadlines.stop = .milliseconds(50)
        let server = TableServer(store: store, configuration: configuration)
        let port = try #require(try await server.start().port)
        let client = try TestConnection(port: port)
        try client.send(TestConnection.request("GET", "/api/data/t"))
        for await _ in arrivals { break }
        await server.stop()
        try client.waitForClose()
        store.release()
    }

    @Test func aServerThatIsLetGoEnds() async throws {
        var server: TableServer? = TableServer(store: MemoryTableStore())
        let port = try #require(try await server?.start().port)
        let listener = try await onThread { try TestConnectionBox(TestConnection(socketAt: port)) }
        server = nil
        #expect(try await onThread { try listener.connection.closeCode() } == 1001)
    }

    #if os(Linux)
    @Test func startingAndStoppingLeavesNoThreads() async throws {
        func threads() throws -> Int {
            let tasks = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")
            return tasks.count { task in
                (try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8))?.hasPrefix(
                    "TableServer"
                ) == true
            }
        }
        // Other tests run servers of their own meanwhile, but never as many as would be left here.
        for _ in 0..<100 { try await withServer { _ in } }
        #expect(try threads() < 60)
    }
    #endif
}

/// Takes a connection from one thread to another.
// SAFETY: the tests use it on one thread after another.
final class TestConnectionBox: @unchecked Sendable {
    let connection: TestConnection
    init(_ connection: TestConnection) { self.connection = connection }
}
