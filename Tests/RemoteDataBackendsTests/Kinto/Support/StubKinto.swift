import RemoteDataExecution
import RemoteDataNetwork

@testable import RemoteDataBackends

extension StubTransport {
    /// A Kinto server over this transport, whose address is never asked for.
    func kinto(
        as account: KintoAuthentication? = nil,
        storage: KintoStorage = .memory,
        pollInterval: Duration = .seconds(5),
        configuration: RESTConfiguration = RESTConfiguration()
    ) throws -> KintoServer {
        var configuration = configuration
        if configuration.clock is TimerClock { configuration.attempts = 1 }
        return try KintoServer(
            "http://example.com",
            bucket: "b",
            as: account,
            storage: storage,
            pollInterval: pollInterval,
            configuration: configuration,
            transport: self,
            chance: { 0.5 }
        )
    }

    /// What was sent, by method and what follows the collection's URL.
    var lines: [String] {
        let place = "http://example.com/v1"
        return sent.map { request in
            let path = request.url.hasPrefix(place) ? String(request.url.dropFirst(place.count)) : request.url
            return "\(request.method) " + path.replacing("/buckets/b/collections/t/records", with: "…")
        }
    }
}

extension HTTPResponse {
    /// An answer of Kinto.
    static func kinto(
        _ text: String,
        status: Int = 200,
        revision: Int? = 1_000,
        _ headers: [String: String] = [:]
    ) -> HTTPResponse {
        var answer = HTTPResponse.json(text, status: status, etag: revision.map { "\"\($0)\"" })
        for (name, value) in headers { answer.headers[name] = value }
        return answer
    }

    /// What is answered to a look at the collection `t`, made at revision 500, all of which may be seen; nil for other requests.
    static func kintoLook(_ request: HTTPRequest) -> HTTPResponse? {
        if request.url.hasSuffix("/collections/t") {
            return .kinto(#"{"data":{"id":"t","last_modified":500}}"#, revision: 500)
        }
        if request.method == "HEAD" { return .kinto("", ["Total-Objects": "0"]) }
        if request.url.contains("_fields=") { return .kinto(#"{"data":[]}"#) }
        guard request.method == "GET", request.url.contains("/records/") else { return nil }
        return .kinto(#"{"errno":110,"details":{"resource_name":"record"}}"#, status: 404)
    }
}
