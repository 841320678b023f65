import RemoteData

/// What a server says over a WebSocket, printed: text frames of one JSON object each.
struct ServerFrame: Sendable, Equatable {
    /// The frame's text.
    let json: [UInt8]

    /// Every change after a revision will follow.
    static func subscribed(id: String, revision: Revision?) -> ServerFrame {
        frame("subscribed", id) { text in
            guard let revision else { return }
            text.member("revision", revision.rawValue)
            // Those of the frames that follow are of the same one.
            if let epoch = revision.epoch { text.member("epoch", epoch.description) }
        }
    }

    /// Nothing else has changed up to a revision since that of the frame before.
    static func progress(id: String, revision: Revision, after: Revision? = nil) -> ServerFrame {
        frame("progress", id) { text in
            text.member("revision", revision.rawValue)
            if let after { text.member("after", after.rawValue) }
        }
    }

    /// Changes were or may be missed.
    static func reset(id: String) -> ServerFrame { frame("reset", id) }

    /// A subscription ended.
    static func unsubscribed(id: String) -> ServerFrame { frame("unsubscribed", id) }

    /// Something was not understood, or could not be done.
    static func error(_ problem: ClientFrame.Problem) -> ServerFrame {
        frame("error", problem.id) { text in
            text.member("code", problem.code)
            text.member("message", problem.message)
            if let position = problem.position { text.member("position", position) }
        }
    }

    /// One change, and the revision of the frame before; without an id as an answer to a request for changes has it.
    static func change(_ change: Change, id: String?, after: Revision? = nil) -> ServerFrame {
        frame("change", id, capacity: 120 + (change.row?.json.count ?? 0)) { text in
            if let revision = change.revision { text.member("revision", revision.rawValue) }
            if let after { text.member("after", after.rawValue) }
            text.member("kind", change.kind.rawValue)
            if let row = change.row {
                text.member("row", json: row.json)
            } else if let id = change.id {
                text.member("objectId", json: id.value.json)
            }
            if let former = change.formerID { text.member("formerId", json: former.value.json) }
            if let key = change.previousKey { text.member("previousKey", json: key.json) }
            if change.left { text.member("left", true) }
            if let predicate = change.predicate { text.member("where", predicate.description) }
            if let count = change.count { text.member("count", count) }
            if let key = change.idempotencyKey { text.member("idempotencyKey", key) }
        }
    }

    private static func frame(
        _ type: String,
        _ id: String?,
        capacity: Int = 80,
        _ body: (inout JSONText) -> Void = { _ in }
    ) -> ServerFrame {
        var text = JSONText(capacity: capacity)
        text.member("type", type)
        if let id { text.member("id", id) }
        body(&text)
        return ServerFrame(json: text.closed)
    }
}
