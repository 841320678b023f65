import Foundation
import RemoteData
import Testing

struct ACLTests {
    private struct Note: Codable, Equatable {
        var objectId: String
        var acl: ACL?

        enum CodingKeys: String, CodingKey {
            case objectId
            case acl = "ACL"
        }
    }

    private func decoded(_ json: String) throws -> ACL {
        try JSONDecoder().decode(ACL.self, from: Data(json.utf8))
    }

    private func read(_ json: String) -> ACL { ACL(json: Array(json.utf8)[...]) }

    @Test func itHasTheFormOfParse() throws {
        let acl = try ACL.public().allowing(.user("ann"), .all).allowing(.role("editors"), .write)
        let json = #"{"*":{"read":true},"ann":{"read":true,"write":true},"role:editors":{"write":true}}"#
        #expect(String(decoding: acl.json, as: UTF8.self) == json)
        #expect(try decoded(json) == acl)
        #expect(read(json) == acl)
        #expect(try decoded(String(decoding: try JSONEncoder().encode(acl), as: UTF8.self)) == acl)
        #expect(acl.parties.map(\.name) == ["*", "ann", "role:editors"])
    }

    @Test func itIsAPropertyOfAnElementAndOfARow() throws {
        let note = Note(objectId: "1", acl: try .private(to: "ann"))
        let data = try JSONEncoder().encode(note)
        #expect(try JSONDecoder().decode(Note.self, from: data) == note)
        #expect(try Row.parse(Array(data)[...], idColumn: "objectId").acl == note.acl)
        #expect(Row(id: 1, json: Array(#"{"objectId":1}"#.utf8)[...]).acl == nil)
        #expect(Row(id: 1, json: Array(#"{"objectId":1,"ACL":null}"#.utf8)[...]).acl == nil)
        #expect(Row(id: 1, json: Array(#"{"objectId":1,"ACL":"x"}"#.utf8)[...]).acl == ACL())
        #expect(
            try JSONDecoder().decode(Note.self, from: Data(#"{"objectId":"1","ACL":7}"#.utf8)).acl == ACL()
        )
    }

    @Test(arguments: [
        "1", "true", "[]", #""*""#, "{}", #"{"*":true}"#, #"{"*":null}"#, #"{"*":["read"]}"#,
        #"{"*":{"read":"true"}}"#,
        #"{"*":{"read":2}}"#, #"{"*":{"read":null,"write":{}}}"#, #"{"*":{"Read":true}}"#,
        #"{"*":{"read":false}}"#,
    ])
    func whatIsOddAllowsNothing(json: String) throws {
        #expect(try decoded(json) == ACL())
        #expect(read(json) == ACL())
    }

    @Test func anOddEntryTakesNothingFromOthers() throws {
        let json = #"{"*":7,"ann":{"read":true,"write":"no"},"bob":{"write":1}}"#
        let expected = try ACL().allowing(.user("ann"), .read).allowing(.user("bob"), .write)
        #expect(try decoded(json) == expected)
        #expect(read(json) == expected)
    }

    @Test(arguments: ["", "*", "role:", "role:editors", "role:\u{301}x"])
    func whatCouldBeMistakenIsNoUser(id: String) {
        #expect(throws: RemoteDataError.self) { try ACL.Party.user(id) }
        #expect(throws: RemoteDataError.self) { try ACL.private(to: id) }
        #expect(throws: RemoteDataError.self) { try AccessUser(id) }
        #expect(throws: RemoteDataError.self) { try AccessUser("ann", roles: [""]) }
    }

    @Test func usersAreToldApartByTheirBytes() throws {
        let acl = try ACL.private(to: "caf\u{E9}")
        #expect(acl.rights(of: try AccessUser("caf\u{E9}")) == .all)
        #expect(acl.rights(of: try AccessUser("cafe\u{301}")) == [])
        #expect(try AccessUser("caf\u{E9}") != AccessUser("cafe\u{301}"))
        #expect(try AccessUser("ann", roles: ["a", "b"]) == AccessUser("ann", roles: ["b", "a", "b"]))
        #expect(try AccessUser("ann", roles: ["a"]) != AccessUser("ann"))
    }

    @Test func rightsComeTogetherAndCanBeTakenBack() throws {
        var acl = ACL.public()
        try acl.allow(.role("editors"), .write)
        try acl.allow(.user("bob"), .write)
        #expect(acl.rights(of: .nobody) == .read)
        #expect(acl.rights(of: try AccessUser("ann")) == .read)
        #expect(acl.rights(of: try AccessUser("ann", roles: ["editors"])) == .all)
        try acl.disallow(.user("bob"), .all)
        acl.disallow(.everybody, .read)
        #expect(acl.rights(of: try AccessUser("bob")) == [])
        #expect(acl.parties.map(\.name) == ["role:editors"])
        #expect(acl.rights(of: try .role("editors")) == .write)
    }
}
