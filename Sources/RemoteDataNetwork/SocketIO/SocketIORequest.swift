/// What a Socket.IO connection is made to.
package struct SocketIORequest: Sendable, Hashable {
    /// Where the server is: `ws`, `wss`, `http` or `https`, host and port.
    package var url: String
    /// The path of Engine.IO on the server.
    package var path: String
    /// The namespace; begins with a slash.
    package var namespace: String
    /// Parameters of the URL, percent-encoded by whoever makes the request, such as `apiKey=x&clientId=y`; empty for none.
    package var query: String
    /// JSON that is shown when the namespace is joined; empty for none.
    ///
    /// Engine.IO 3 has nothing like it.
    package var credentials: [UInt8]
    /// The version of the protocol; nil to try 4 and, where that is refused, 3.
    package var version: EngineIOVersion?
    /// Header fields for the handshake.
    package var headers: HTTPHeaders
    /// Buffers and deadlines.
    package var limits: WebSocketLimits

    /// Creates a request.
    package init(
        _ url: String,
        path: String = "/socket.io",
        namespace: String = "/",
        query: String = "",
        credentials: [UInt8] = [],
        version: EngineIOVersion? = nil,
        headers: HTTPHeaders = [:],
        limits: WebSocketLimits = WebSocketLimits()
    ) {
        (self.url, self.path, self.namespace) = (url, path, namespace)
        (self.query, self.credentials, self.version) = (query, credentials, version)
        (self.headers, self.limits) = (headers, limits)
    }

    /// The handshake of the WebSocket.
    func webSocket(_ version: EngineIOVersion) -> WebSocketRequest {
        var base = url[...]
        while base.hasSuffix("/") { base.removeLast() }
        var path = path[...]
        while path.hasSuffix("/") { path.removeLast() }
        let rest = query.isEmpty ? "" : "&\(query)"
        return WebSocketRequest(
            "\(base)\(path)/?EIO=\(version.rawValue)&transport=websocket\(rest)",
            headers: headers,
            limits: limits
        )
    }
}
