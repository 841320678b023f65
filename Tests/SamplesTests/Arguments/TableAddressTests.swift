import Testing

@testable import live_table

struct TableAddressTests {
    @Test func theTableIsTheLastPart() throws {
        let address = try TableAddress("http://[::1]:8080/base/air%20ports")
        #expect(address.table == "air ports")
        #expect(address.server == "http://[::1]:8080/base")
    }

    @Test(arguments: [
        "airports", "127.0.0.1:8080/airports", "ftp://host/airports", "http:///airports", "http://host",
        "http://host/",
        "http://user:secret@host/airports", "http://host/airports?x=1", "http://host/airports#x",
    ])
    func otherTextIsRefused(text: String) throws {
        let failure = try #require(throws: Failure.self) { try TableAddress(text) }
        #expect(failure.exitCode == 2)
    }
}
