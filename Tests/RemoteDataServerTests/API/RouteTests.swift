import Testing

@testable import RemoteDataServer

struct RouteTests {
    private static func id(_ text: String) -> Route.RowAddress { Route.RowAddress(text: text) }

    @Test(arguments: [
        ("GET", "/api/info", Route.info), ("HEAD", "/api/info", .info), ("GET", "/api/changes", .socket),
        ("GET", "/api/data/t", .page(table: "t")), ("POST", "/api/data/t", .create(table: "t")),
        ("POST", "/api/data/t/find", .find(table: "t")), ("GET", "/api/data/t/count", .count(table: "t")),
        ("POST", "/api/data/t/count", .countByBody(table: "t")), ("PUT", "/api/data/t/upsert", .upsert(table: "t")),
        ("GET", "/api/data/t/changes", .changes(table: "t")), ("GET", "/api/data/t/a", .row(table: "t", id("a"))),
        ("PUT", "/api/data/t/a", .update(table: "t", id("a"))), ("DELETE", "/api/data/t/a", .delete(table: "t", id("a"))),
        ("POST", "/api/data/bulk/t", .bulkCreate(table: "t")), ("PUT", "/api/data/bulk/t", .bulkUpdate(table: "t")),
        ("POST", "/api/data/bulk/t/delete", .bulkDelete(table: "t")),
        ("PUT", "/api/data/bulkupsert/t", .bulkUpsert(table: "t")),
    ])
    func everyRouteIsFound(method: String, path: String, route: Route) throws {
        #expect(try Route.parse(method: method, path: path[...]) == route)
    }

    @Test(arguments: [
        ("/api/data/t/%63ount", "t", "count"), ("/api/data/t/%66%69%6E%64", "t", "find"), ("/api/data/t/a%2Fb", "t", "a/b"),
        ("/api/data/%62ulk/a", "bulk", "a"), ("/api/data/a%20b/%2E%2E", "a b", ".."), ("/api/data/t/a+b", "t", "a+b"),
        ("/api/data/t/..", "t", ".."), ("/api/data/t/%00", "t", "\0"), ("/api/data/%63ount/x", "count", "x"),
    ])
    func anEncodedSegmentIsNeverAWord(path: String, table: String, row: String) throws {
        #expect(try Route.parse(method: "GET", path: path[...]) == .row(table: table, Self.id(row)))
    }

    @Test(arguments: [
        "/", "", "/api", "/api/", "/api/other", "/api/data", "/api/data/t/", "/api/data/t/a/b", "/api/data/t/a/", "/api//info",
        "/api/data/bulk", "/api/data/bulk/t/other", "/api/data/bulk/t/delete/x", "/api/data/bulkupsert/t/x", "/API/info",
        "/api/%69nfo", "/api/data/t/bulk", "/api/data/bulk/t/%64elete",
    ])
    func whatIsNowhereIs404(path: String) throws {
        let refusal = #expect(throws: HTTPRefusal.self) { try Route.parse(method: "GET", path: path[...]) }
        #expect([1404, 1405].contains(refusal?.code))
        if path != "/api/data/bulk" { #expect(refusal?.status == 404) }
    }

    @Test(arguments: [
        ("PATCH", "/api/data/t", "GET, HEAD, POST"), ("DELETE", "/api/data/t", "GET, HEAD, POST"),
        ("POST", "/api/info", "GET, HEAD"), ("GET", "/api/data/t/find", "POST"), ("GET", "/api/data/t/upsert", "PUT"),
        ("POST", "/api/data/t/a", "DELETE, GET, HEAD, PUT"), ("DELETE", "/api/data/t/count", "GET, HEAD, POST"),
        ("HEAD", "/api/data/bulk/t", "POST, PUT"), ("get", "/api/info", "GET, HEAD"), ("OPTIONS", "/api/changes", "GET, HEAD"),
    ])
    func aMethodThePathDoesNotHaveIs405(method: String, path: String, allowed: String) throws {
        let refusal = #expect(throws: HTTPRefusal.self) { try Route.parse(method: method, path: path[...]) }
        #expect(refusal?.status == 405)
        #expect(refusal?.fields == [HTTPField(name: "Allow", value: allowed)])
    }

    @Test(arguments: ["%", "%FF", "a%0Ab", "%7F", "%C2%80", String(repeating: "x", count: 201)])
    func aNameNoTableCanHaveIs400(name: String) throws {
        let refusal = #expect(throws: HTTPRefusal.self) { try Route.parse(method: "GET", path: "/api/data/\(name)") }
        #expect(refusal?.status == 400)
    }
}
