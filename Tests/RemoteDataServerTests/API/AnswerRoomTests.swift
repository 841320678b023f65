import RemoteData
import Testing

@testable import RemoteDataServer

/// The room that the answers of a server share.
struct AnswerRoomTests {
    @Test("Pages become smaller as the room fills, and there is none in the end")
    func shares() {
        let room = AnswerRoom(1 << 20)
        #expect(room.share(atMost: 1_000)?.bytes == 1_000)
        // It was given back.
        #expect(room.usedBytes == 0)
        var shares: [AnswerRoom.Share] = []
        while let share = room.share(atMost: 16 << 20), share.note(share.bytes) { shares.append(share) }
        #expect(shares.map(\.bytes).first == 1 << 17)
        #expect(shares.map(\.bytes) == shares.map(\.bytes).sorted(by: >))
        #expect(room.usedBytes <= 1 << 20)
        #expect(room.share(atMost: 1) != nil)
        shares = []
        #expect(room.usedBytes == 0)
    }

    @Test("Answers that are not made yet leave others small pages, however many they are")
    func reservations() {
        let room = AnswerRoom(1 << 20)
        let shares = (0..<1_000).compactMap { _ in room.share(atMost: 16 << 20) }
        #expect(shares.count == 1_000)
        #expect(shares.last?.bytes == 64 << 10)
        #expect(shares.allSatisfy { $0.note(10) })
        #expect(room.usedBytes == 10_000)
    }

    @Test("An answer takes what it has, and one that is larger than the room is refused")
    func notes() {
        let room = AnswerRoom(1 << 20)
        let share = room.share(atMost: 1_000)
        let other = room.share(atMost: 1_000)
        #expect(share?.note(1 << 20) == true)
        #expect(room.share(atMost: 1_000) == nil)
        #expect(room.usedBytes == (1 << 20) + 1_000)
        #expect(other?.note(1) == false)
        withExtendedLifetime((share, other)) {}
    }

    @Test("Answers that wait leave others pages that end early, and 503 in the end")
    func pages() async throws {
        let store = MemoryTableStore()
        let table = try #require(try await store.table("t", creating: true))
        let text = String(repeating: "x", count: 50_000)
        for id in 1...20 {
            let json = Array(#"{"objectId":\#(id),"s":"\#(text)"}"#.utf8)
            _ = try await table.commit(.create([try Draft(json[...], idColumn: "objectId")]))
        }
        var api = TableAPI(store: store, limits: TableServer.Limits(), fixedTables: false)
        api.room = AnswerRoom(1 << 20)
        func ask(_ target: String) async -> HTTPAnswer {
            let head = HTTPRequestHead(method: "GET", target: target, fields: [])
            return await api.answer(HTTPRequest(head: head, body: []))
        }
        var answers: [HTTPAnswer] = []
        while answers.last?.status ?? 200 == 200 { answers.append(await ask("/api/data/t")) }
        let refused = answers.removeLast()
        #expect(refused.status == 503)
        #expect(refused.fields.contains { $0.name == "Retry-After" })
        #expect(answers.count > 8)
        #expect(answers.allSatisfy { $0.fields.contains { $0.name == "Table-More" } })
        #expect(answers.map(\.body.count).reduce(0, +) < (1 << 20) + 100_000)
        let rest = api.room?.share(atMost: 1 << 20)
        _ = rest?.note(1 << 20)
        #expect(await ask("/api/data/t/1").status == 503)
        #expect(await ask("/api/data/t/count").status == 200)
        withExtendedLifetime(rest) { answers = [] }
    }
}
