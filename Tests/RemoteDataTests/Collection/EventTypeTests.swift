import RemoteData
import Testing

/// The numbers of what happens, which others may have stored.
struct EventTypeTests {
    @Test func theNumbersAreThoseOfTheFirstVersion() {
        #expect(EventType.dataLoaded.rawValue == 0)
        #expect(EventType.created.rawValue == 1)
        #expect(EventType.updated.rawValue == 2)
        #expect(EventType.deleted.rawValue == 3)
        #expect(EventType.bulkDeleted.rawValue == 4)
        #expect(EventType.allCases.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect((0...4).map(EventType.init(rawValue:)) == EventType.allCases)
        #expect(EventType(rawValue: 5) == nil)
    }
}
