import Foundation
import Testing

@testable import RemoteData

/// Ids of models.
@Suite struct ModelIDTests {
    @Test func theSameTextAndKindAreOneID() {
        #expect(ModelID("1", of: "dog") == ModelID("1", of: "dog"))
        #expect(Set([ModelID("1", of: "dog"), ModelID("1", of: "dog")]).count == 1)
    }

    @Test func kindsKeepIDsApart() {
        #expect(ModelID("1", of: "dog") != ModelID("1", of: "cat"))
        #expect(ModelID("1", of: "dog") != ModelID("1"))
        #expect(ModelID("b", of: "a") != ModelID("a/b"))
    }

    @Test func theKindIsNotTakenForAPartOfTheText() {
        #expect(ModelID("bc", of: "a") != ModelID("c", of: "ab"))
    }

    @Test func textCountsByteByByte() {
        #expect(ModelID("caf\u{E9}") != ModelID("cafe\u{301}"))
        #expect(ModelID("1", of: "caf\u{E9}") != ModelID("1", of: "cafe\u{301}"))
        #expect(ModelID("a") != ModelID("A"))
        #expect(ModelID("a") != ModelID("a\0"))
    }

    @Test func equivalentTextsAreKeptApartByTheManager() {
        let manual = ManualManager()
        let (one, other) = (
            manual.subscriber(Card("caf\u{E9}", 1)), manual.subscriber(Card("cafe\u{301}", 1))
        )
        manual.update(Card("cafe\u{301}", 2))
        #expect(one.hearing.count == 0)
        #expect(other.hearing.count == 1)
    }

    @Test func numbersAndUUIDsAreIDsByTheirText() throws {
        #expect(ModelID(42, of: "row") == ModelID("42", of: "row"))
        #expect(ModelID(Int64.min, of: "row").text == "-9223372036854775808")
        let uuid = try #require(UUID(uuidString: "e621e1f8-c36c-495a-93fc-0c247a3e6e5f"))
        #expect(ModelID(uuid, of: "row").text == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
    }

    @Test func theDescriptionNamesTheKindFirst() {
        #expect(ModelID("ada", of: "person").description == "person/ada")
        #expect(ModelID("ada").description == "ada")
    }

    @Test func aLiteralIsAnIDOfNoKind() {
        let id: ModelID = "ada"
        #expect(id == ModelID("ada", of: ""))
    }
}
