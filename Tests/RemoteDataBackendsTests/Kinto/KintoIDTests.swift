import RemoteData
import Testing

@testable import RemoteDataBackends

@Suite struct KintoIDTests {
    @Test func idsAreMadeOfKeys() {
        let ids = (0..<10_000).map { KintoID.made(of: "key \($0)") }
        #expect(Set(ids).count == 10_000)
        #expect(ids.allSatisfy { KintoID.isValid($0) })
        #expect(KintoID.made(of: "key 7") == ids[7])
        #expect(ids[7].description.utf8.count == 36)
    }

    /// They are on servers already.
    @Test func theIDsOfAKeyStayAsTheyAre() {
        #expect(KintoID.made(of: "a key") == "d3e5dc8f-1327-10fc-ea87-69a7a37a3ad9")
        #expect(PocketBaseID.made(of: "a key", 3) == "s9ucsz834hh6jvs")
    }

    @Test("Rows that are created offline have ids that PocketBase takes")
    func idsMadeOffline() throws {
        let table = try PocketBaseServer("http://example.com").table("people")
        let ids = (0..<1_000).compactMap { _ in table.makeRowID() }
        #expect(Set(ids).count == 1_000)
        let isRight = { (letter: UInt8) in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(letter)
        }
        for id in ids {
            let text = id.description.utf8
            #expect(text.count == 15 && text.allSatisfy(isRight))
        }
    }

    @Test func kintoHasIDsOfItsOwn() {
        for id: RowID in ["a", "7", "A-_z", "0-"] { #expect(KintoID.isValid(id)) }
        for id: RowID in ["", "_a", "-a", "a.b", "a b", "é", "a\n", "a/b", 7] {
            #expect(!KintoID.isValid(id))
        }
    }
}
