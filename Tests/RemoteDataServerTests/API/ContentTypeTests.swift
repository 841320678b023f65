import RemoteData
import RemoteDataTesting
import Testing

@testable import RemoteDataServer

struct ContentTypeTests {
    private let api = TableAPI(store: MemoryTableStore(), limits: TableServer.Limits(), fixedTables: false)

    private func ask(_ method: String, _ target: String, _ body: String, _ fields: [HTTPField]) async
        -> HTTPAnswer
    {
        let head = HTTPRequestHead(method: method, target: target, fields: fields)
        return await api.answer(HTTPRequest(head: head, body: Array(body.utf8)[...]))
    }

    /// A form of any web page can send text and forms, and not JSON, without being asked whether it may.
    @Test(
        "What is written says that it is JSON, or nothing",
        arguments: [
            (nil, true), ("application/json", true), ("Application/JSON; charset=UTF-8", true),
            ("application/json;charset=\"utf-8\"", true), ("application/merge-patch+json", true),
            ("text/plain", false), ("application/x-www-form-urlencoded", false),
            ("multipart/form-data", false),
            ("application/json; charset=iso-8859-1", false), ("text/json", false), ("", false),
            ("application/jsonp", false), ("text/plain; application/json", false),
        ]
    )
    func contentTypes(type: String?, isTaken: Bool) async {
        let fields = type.map { [HTTPField(name: "content-type", value: $0)] } ?? []
        for (method, target, body) in [
            ("POST", "/api/data/t", #"{"objectId":1}"#), ("PUT", "/api/data/t/upsert", #"{"objectId":1}"#),
            ("PUT", "/api/data/t/1", "{}"), ("POST", "/api/data/bulk/t", "[{}]"),
            ("POST", "/api/data/bulk/t/delete", #"{"where":"objectId = 1"}"#),
        ] {
            let answer = await ask(method, target, body, fields)
            #expect(answer.status == (isTaken ? 200 : 415), "\(method) \(target)")
            if !isTaken { #expect(String(decoding: answer.body, as: UTF8.self).contains(#""code":1415"#)) }
        }
        // What has no body has no type, and what is read is not written.
        #expect(await ask("DELETE", "/api/data/t/9", "", fields).status == 404)
        #expect(await ask("POST", "/api/data/t/find", "{}", fields).status == 200)
    }
}
