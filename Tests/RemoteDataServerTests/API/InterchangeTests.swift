import RemoteDataTesting
import Testing

@testable import RemoteData
@testable import RemoteDataServer

/// Rows that others who read JSON would understand otherwise, or not at all.
struct InterchangeTests {
    private let api = TableAPI(store: MemoryTableStore(), limits: TableServer.Limits(), fixedTables: false)

    private static let names = (0..<40).map { "\"n\($0)\":0" }.joined(separator: ",")

    private static let refused = [
        (#""t":"cut \ud83d""#, "half a surrogate pair"), (#""t":"\uDE00""#, "half a surrogate pair"),
        (#""t":"\ud83dx\ude00""#, "half a surrogate pair"), (#""t":"\ud83d\n""#, "half a surrogate pair"),
        (#""t":"\ud83d\ud83d\ude00""#, "half a surrogate pair"), (#""\udc00":1"#, "half a surrogate pair"),
        (#""t":[{"u":["\uD800"]}]"#, "half a surrogate pair"),
        (#""n":1e309"#, "beyond the range of doubles"), (#""n":[-1E+400]"#, "beyond the range of doubles"),
        ("\"n\":1\(String(repeating: "0", count: 400))", "beyond the range of doubles"),
        (#""a":1,"a":2"#, "a is there twice"), (#""a":{"b":1,"c":2,"b":1}"#, "b is there twice"),
        (#""a":1,"\u0061":2"#, "a is there twice"), (#""a b":1,"\u0061\u0020b":2"#, "a b is there twice"),
        ("\(names),\"n39\":1", "n39 is there twice"), ("\(names),\"n3\":1", "n3 is there twice"),
        (#""a":[0,{"x":{"":1,"":1}}]"#, " is there twice"),
    ]

    private static let taken = [
        #""t":"\ud83d\ude00 \uFFFF \\ud83d \ud7ff\ue000""#, #""n":1.7976931348623157e308"#, #""n":1e-400"#,
        #""n":-12345678901234567890123"#, #""e":0,"E":0"#, names, #""\u00e9":1,"e\u0301":2"#,
        #""a":{"a":{"a":1}},"b":[{"a":1},{"a":1}]"#, #""t":"1e999","e999":true"#,
    ]

    private func ask(_ method: String, _ target: String, _ body: String) async -> (status: Int, text: String)
    {
        let head = HTTPRequestHead(method: method, target: target)
        let answer = await api.answer(HTTPRequest(head: head, body: Array(body.utf8)[...]))
        return (answer.status, String(decoding: answer.body, as: UTF8.self))
    }

    private func writes(_ members: String) -> [(method: String, target: String, body: String)] {
        [
            ("POST", "/api/data/t", "{\"objectId\":1,\(members)}"),
            ("PUT", "/api/data/t/upsert", " {\"objectId\":1,\(members)} "),
            ("PUT", "/api/data/t/1", "{\(members)}"),
            ("POST", "/api/data/bulk/t", "[{\"objectId\":2},{\"objectId\":3,\(members)}]"),
            ("PUT", "/api/data/bulkupsert/t", "[{\"objectId\":3,\(members)}]"),
            ("PUT", "/api/data/bulk/t", "{\(members)}"),
        ]
    }

    @Test("They are refused", arguments: refused)
    func refusal(members: String, problem: String) async {
        for (method, target, body) in writes(members) {
            let answer = await ask(method, target, body)
            #expect(answer.status == 400, "\(method) \(target)")
            #expect(answer.text.contains("\"code\":1018") && answer.text.contains(problem), "\(answer.text)")
        }
        #expect(await ask("GET", "/api/data/t/count", "").text == "0")
    }

    @Test("Everything else is taken", arguments: taken)
    func acceptance(members: String) async {
        for (method, target, body) in writes(members) {
            #expect(await ask(method, target, body).status == 200, "\(method) \(target)")
        }
    }
}
