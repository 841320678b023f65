import RemoteDataBackends
import Testing

@testable import live_table

struct TableAddressTests {
    @Test(
        "An address without a scheme says so",
        arguments: ["127.0.0.1:8080/airports", "localhost:8080/airports", "host/airports"]
    )
    func missingScheme(text: String) {
        let failure = #expect(throws: Failure.self) { try TableAddress(text) }
        let message = failure?.message ?? ""
        #expect(message.hasPrefix("\(text) is no table's URL: it begins with http:// or https://, such as"))
    }

    @Test func theTableIsTheLastPart() throws {
        let address = try TableAddress("http://[::1]:8080/base/air%20ports")
        #expect(address.table == "air ports")
        #expect(address.server == "http://[::1]:8080/base")
    }

    @Test func aWordInFrontSaysWhoseServerItIs() throws {
        #expect(try TableAddress("http://host/people").kind == nil)
        let address = try TableAddress("PocketBase:https://host/people")
        #expect(address.kind == .pocketBase)
        #expect(address.server == "https://host")
        #expect(address.description == "pocketbase:https://host/people")
    }

    @Test(arguments: [
        ("https://api.backendless.com/APP-ID/API-KEY/Person", "https://api.backendless.com/APP-ID/API-KEY"),
        ("https://name.backendless.app/api/Person", "https://name.backendless.app/api"),
    ])
    func theApplicationIsWhatIsInFrontOfTheTable(url: String, server: String) throws {
        let address = try TableAddress("backendless:" + url)
        #expect(address.kind == .backendless)
        let access = try Access(Arguments(address: address, command: .count))
        let table = try openTable(address, access, isNew: false) as? BackendlessTable
        #expect(table?.server.url == server)
        #expect(table?.name == "Person")
    }

    @Test(arguments: [
        ("http://host/people", "http://host", "default"),
        ("http://host/v1/people", "http://host/v1", "default"),
        ("http://host/blog/people", "http://host", "blog"),
        ("http://host/v1/my%20blog/people", "http://host/v1", "my blog"),
    ])
    func theBucketIsThePartBefore(url: String, server: String, name: String) throws {
        let address = try TableAddress("kinto:" + url)
        #expect(address.kind == .kinto)
        #expect(address.bucket.server == server)
        #expect(address.bucket.name == name)
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
