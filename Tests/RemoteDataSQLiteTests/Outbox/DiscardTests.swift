import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataSQLite

/// Updates that the server refuses, and that are discarded.
@Suite(.timeLimit(.minutes(1))) struct DiscardTests {
    private static let list = List(id: "a", name: "milk")
    private static let patches = [#"{"name":"beer"}"#, #"{"note":"cold"}"#]
    private static let shown = [List(id: "a", name: "beer"), List(id: "a", name: "beer", note: "cold")]

    /// Makes updates of one row, each of which the server refuses.
    private func refused(_ count: Int, showsRefused: Bool) async throws -> (SyncFixture, [Int64]) {
        let fixture = try await SyncFixture(rows: [Self.list]) { $0.showsRefused = showsRefused }
        try await fixture.lists.pull()
        fixture.remoteLists.fail(.commit, with: RemoteDataError(.rejected, "No."))
        var numbers: [Int64] = []
        for patch in Self.patches.prefix(count) {
            let write = try await fixture.lists.write(.update("a", patch: Array(patch.utf8)[...]))
            let error = await failure { () async throws(RemoteDataError) in try await write.acknowledged }
            #expect(error?.code == .rejected)
            numbers += write.numbers
        }
        fixture.remoteLists.heal()
        #expect(try await fixture.outbox.deadLetters().map(\.id) == numbers)
        return (fixture, numbers)
    }

    @Test("Discarded updates leave the row as the server has it", arguments: [true, false], [1, 2])
    func discardedUpdates(showsRefused: Bool, count: Int) async throws {
        let (fixture, numbers) = try await refused(count, showsRefused: showsRefused)
        let shown = showsRefused ? Self.shown[count - 1] : Self.list
        #expect(try await SyncFixture.lists(fixture.lists) == [shown])
        for number in numbers {
            try await fixture.outbox.discard(number)
            // A refused update that is shown is still there while it is not discarded.
            guard number == numbers.last || !showsRefused else { continue }
            #expect(try await SyncFixture.lists(fixture.lists) == [Self.list])
        }
        #expect(try await fixture.outbox.deadLetters().isEmpty)
        #expect(try await fixture.outbox.rejected().map(\.id) == Array(numbers.reversed()))
        try await fixture.lists.pull()
        #expect(try await SyncFixture.lists(fixture.lists) == [Self.list])
    }

    @Test("A row whose update was discarded can be updated", arguments: [true, false])
    func updateAfterDiscard(showsRefused: Bool) async throws {
        let (fixture, numbers) = try await refused(1, showsRefused: showsRefused)
        for number in numbers { try await fixture.outbox.discard(number) }
        let juice = List(id: "a", name: "juice")
        try await fixture.lists.update(juice).acknowledged
        #expect(try await SyncFixture.lists(fixture.lists) == [juice])
        #expect(try await SyncFixture.lists(fixture.remoteLists.base) == [juice])
    }

    @Test(
        "Discarding keeps what the server has made of the row since",
        arguments: [true, false],
        [true, false]
    )
    func rowChangedBeforeDiscard(showsRefused: Bool, isRemoval: Bool) async throws {
        let (fixture, numbers) = try await refused(1, showsRefused: showsRefused)
        let patch = Array(#"{"name":"theirs"}"#.utf8)[...]
        _ = try await fixture.remoteLists.base.commit(isRemoval ? .delete("a") : .update("a", patch: patch))
        try await fixture.lists.pull()
        for number in numbers { try await fixture.outbox.discard(number) }
        let theirs = isRemoval ? [] : [List(id: "a", name: "theirs")]
        #expect(try await SyncFixture.lists(fixture.lists) == theirs)
    }
}
