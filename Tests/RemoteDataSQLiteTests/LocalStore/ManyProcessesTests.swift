import ProgramTesting
import RemoteData
import RemoteDataSQLite
import RemoteDataTesting
import Testing

@testable import store_crash

/// Files that other processes write to, or are killed while they do.
@Suite(.timeLimit(.minutes(5))) struct ManyProcessesTests {
    @Test func processesWriteToOneFileAtOnce() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await LocalStore(path: path, relations: Victim.relations)
        let names = ["x", "y"]
        let writers = try names.map { try Program("store-crash", ["--write", path, $0, "120"]) }
        for number in 0..<60 {
            _ = try await store.table("drafts").commit(.create([draft("{\"objectId\":\"here\(number)\"}")]))
        }
        for writer in writers {
            let end = try await writer.end()
            #expect(end.status == 0, "\(end.errors)")
        }
        #expect(try await store.isWhole())
        #expect(try await store.table("drafts").count(nil).value == 300)
        #expect(try await store.table("notes").count(nil).value == 240)
        #expect(try await store.labels() == ["shared", "x", "y"])
        #expect(try await store.table("notes", label: "shared").count(nil).value == 120)
        for name in names { #expect(try await store.table("notes", label: name).count(nil).value == 60) }
    }

    @Test func aTableThatAnotherProcessMadeIsSeenAtOnce() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await LocalStore(path: path, relations: Victim.relations)
        let notes = try store.table("notes")
        #expect(try await notes.count(nil).value == 0)
        #expect(try await Program("store-crash", ["--write", path, "x", "3"]).end().status == 0)
        #expect(try await notes.count(nil).value == 3)
        #expect(try await store.table("drafts").row("x1") != nil)
    }

    @Test func anotherProcessIsSeenAtOnceAndToldOfByAReset() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.db")
        let store = try await LocalStore(path: path, relations: Victim.relations)
        let table = try store.table("drafts")
        _ = try await table.commit(.create([draft("{\"objectId\":\"first\"}")]))
        let feed = try await table.subscribe(to: Query(), since: nil)
        #expect(try await Program("store-crash", ["--write", path, "x", "3"]).end().status == 0)
        #expect(try await table.count(nil).value == 4)
        _ = try await table.commit(.create([draft("{\"objectId\":\"last\"}")]))
        var hasReset = false
        while !hasReset {
            for case .reset in await feed.nextBatch() { hasReset = true }
        }
    }

    @Test func nothingIsLostThatWasSaidToBeDone() async throws {
        let end = try await Program("store-crash", ["--kills", "20", "--seed", "7"]).end()
        #expect(end.status == 0, "\(end.output)\(end.errors)")
        #expect(end.output.contains("nothing was lost"))
    }
}
