import Foundation
import RemoteData
import RemoteDataBackends
import Testing

struct BaseURLTests {
    @Test(arguments: [
        "http://127.0.0.1:8080", "https://example.com", "http://[::1]:80", "HTTP://example.com/a/b",
    ])
    func aServersURLIsTaken(url: String) throws {
        #expect(try RESTServer(url).url == url)
        #expect(try RESTServer(url + "/").url == url)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "ws://example.com", "http://", "http:///people",
        "http://a b.com",
        "http://example.com?x=1", "http://example.com/#x", "http://example.com:99999", "http://exämple.com",
        "http://user:secret@example.com", "http://token@example.com/people", "/people",
        "http://example.com:port",
    ])
    func whatIsNoServersURLIsRefused(url: String) throws {
        let error = #expect(throws: RemoteDataError.self) { try RESTServer(url) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("secret") == false && error?.message.contains("token@") == false)
    }

    @Test(arguments: [
        ("http://127.0.0.1:8080/airports", "http://127.0.0.1:8080", "airports"),
        ("http://127.0.0.1:8080/airports/", "http://127.0.0.1:8080", "airports"),
        ("https://example.com/base/a%20b", "https://example.com/base", "a b"),
        ("http://127.0.0.1:8080/api/data/people", "http://127.0.0.1:8080", "people"),
    ])
    func aTablesURLIsAServersWithANameBehindIt(url: String, server: String, name: String) throws {
        let table = try RESTTable(url)
        #expect(table.server.url == server)
        #expect(table.name == name)
        #expect(try RESTTable(try #require(URL(string: url))).name == name)
    }

    @Test(arguments: [
        "http://127.0.0.1:8080", "http://127.0.0.1:8080/", "people", "http://127.0.0.1/%zz", "",
    ])
    func aURLWithoutATableIsRefused(url: String) {
        let error = #expect(throws: RemoteDataError.self) { try RESTTable(url) }
        #expect(error?.code == .invalidRequest)
    }
}
