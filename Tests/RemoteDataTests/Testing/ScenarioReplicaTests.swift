import RemoteDataTesting
import Testing

@testable import RemoteData

/// What is known of a collection by its changes alone.
@Suite struct ScenarioReplicaTests {
    private let row = Row(id: .text("a"), json: Array(#"{"objectId":"a"}"#.utf8)[...])

    private func inspection(_ rows: [Row?]) -> CollectionInspection {
        CollectionInspection(rows: rows, held: [], applied: nil, isAtRest: true, buffers: [])
    }

    private func change(_ type: EventType, inserted: [Int] = [], updated: [Int] = [])
        -> CollectionChange<SimulatedItem>
    {
        CollectionChange(
            type: type,
            rows: [],
            ids: [row.id],
            inserted: inserted,
            removedRanges: [],
            updated: updated,
            moved: [],
            isOwn: false,
            revision: nil
        )
    }

    @Test("A row that comes twice is a problem, also where the positions are right")
    func twice() {
        var replica = ScenarioReplica(inspection([]), of: SimulatedItem.self)
        replica.apply(change(.created, inserted: [0]))
        #expect(replica.difference(from: inspection([row])) == nil)
        replica.apply(change(.created, inserted: [1]))
        #expect(replica.difference(from: inspection([row, row])) != nil)
    }

    @Test("A row that is here is not created again by a change where it is")
    func wrongKind() {
        var replica = ScenarioReplica(inspection([row]), of: SimulatedItem.self)
        replica.apply(change(.updated, updated: [0]))
        #expect(replica.difference(from: inspection([row])) == nil)
        replica.apply(change(.created, updated: [0]))
        #expect(replica.difference(from: inspection([row])) != nil)
    }
}
