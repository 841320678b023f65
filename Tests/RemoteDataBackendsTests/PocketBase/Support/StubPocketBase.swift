import Foundation
import RemoteData
import Synchronization

@testable import RemoteDataBackends
@testable import RemoteDataNetwork

/// A PocketBase in memory with one collection, which lists ids and sends changes over a stream.
final class StubPocketBase: HTTPTransport, HTTPStreamTransport {
    struct State {
        var ids = ["a", "b"]
        /// What it answers to reading; nil to list the ids.
        var refusal: HTTPResponse?
        var lines: [String] = []
        var stream: StreamBuffer?
        var streamCount = 0
        /// What it answers where a token is to be refreshed.
        var refreshStatus = 200
    }

    /// A token that looks like one of PocketBase.
    static func token(_ number: Int) -> String {
        let payload = Data(#"{"collectionId":"users","exp":9000000000,"number":\#(number)}"#.utf8)
        return "e30.\(payload.base64EncodedString().replacing("=", with: "")).c2ln"
    }

    let state = Mutex(State())

    /// What was sent, by method and the end of the path.
    var lines: [String] { state.withLock { $0.lines } }

    /// How often the collection was looked at.
    var lookCount: Int { lines.count { $0.contains("fields=id") } }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        state.withLock { state in
            let path = request.url.split(separator: "/").last.map(String.init) ?? ""
            state.lines.append("\(request.method) \(path)")
            if request.url.contains("/api/realtime") { return HTTPResponse(status: 204) }
            if path == "auth-refresh" {
                return .json(#"{"token":"next","message":"No."}"#, status: state.refreshStatus)
            }
            // It is no view.
            if request.method == "PATCH" { return .json(#"{"message":"","data":{}}"#, status: 404) }
            if let refusal = state.refusal { return refusal }
            let items = state.ids.map { #"{"id":"\#($0)"}"# }.joined(separator: ",")
            return .json(#"{"items":[\#(items)],"perPage":200,"totalItems":\#(state.ids.count)}"#)
        }
    }

    func open(_ request: HTTPRequest) async throws(NetworkError) -> HTTPStream {
        let stream = StreamBuffer()
        let number = state.withLock { state in
            state.stream = stream
            state.streamCount += 1
            return state.streamCount
        }
        emit("PB_CONNECT", #"{"clientId":"c\#(number)"}"#)
        let head = HTTPResponse(status: 200, headers: ["Content-Type": "text/event-stream"])
        return HTTPStream(head, body: stream)
    }

    /// Ends the stream, as the server does after a time.
    func endStream() {
        let stream = state.withLock { $0.stream }
        stream?.end(.success(()))
    }

    /// Sends an event over the stream.
    func emit(_ event: String, _ data: String) {
        let text = Array("event:\(event)\ndata:\(data)\n\n".utf8)
        let stream = state.withLock { $0.stream }
        _ = text.withUnsafeBytes { stream?.put($0) }
    }
}
