import RemoteData

/// What a client says over a WebSocket.
enum ClientFrame: Sendable, Equatable {
    case subscribe(SubscriptionRequest)
    case unsubscribe(id: String)

    /// Why a frame was not understood.
    struct Problem: Error, Sendable, Equatable {
        /// The subscription the frame was about, where that could be read.
        var id: String?
        let code: Int
        let message: String
        var position: Int?
    }

    /// Reads one text frame.
    ///
    /// - Throws: ``Problem``; unknown members are refused too, since passing over a mistyped `where` would
    ///   subscribe to everything.
    init(_ bytes: ArraySlice<UInt8>) throws(Problem) {
        var values: [String: Value] = [:]
        do throws(RemoteDataError) {
            let members = try JSONObject.members(of: bytes)
            try JSONObject.checkInterchange(bytes)
            for member in members {
                values[member.name] = Value(json: member.json) ?? .null
            }
        } catch { throw Problem(code: 1000, message: "The frame is no JSON object, or has a member twice.") }
        guard case .text(let id) = values["id"], (1...200).contains(id.utf8.count) else {
            throw Problem(code: 1000, message: "The frame has no \"id\" of 1 to 200 bytes.")
        }
        switch values["type"] {
        case .text("subscribe"):
            try Self.check(values.keys, ["type", "id", "table", "where", "sortBy", "since", "epoch"], id)
            self = .subscribe(try SubscriptionRequest(id: id, values))
        case .text("unsubscribe"):
            try Self.check(values.keys, ["type", "id"], id)
            self = .unsubscribe(id: id)
        default: throw Problem(id: id, code: 1000, message: "The \"type\" is not subscribe or unsubscribe.")
        }
    }

    private static func check(
        _ names: some Sequence<String>,
        _ known: Set<String>,
        _ id: String
    ) throws(Problem) {
        guard let name = names.first(where: { !known.contains($0) }) else { return }
        throw Problem(
            id: id,
            code: 1000,
            message: "There is no member \"\(name.prefix(100))\" in this frame."
        )
    }
}

/// A subscription a client asks for.
struct SubscriptionRequest: Sendable, Equatable {
    /// The client's name for it.
    let id: String
    let table: String
    let query: Query
    let since: Revision?

    /// Reads the members of a `subscribe` frame.
    init(id: String, _ values: [String: Value]) throws(ClientFrame.Problem) {
        self.id = id
        guard let table = try Self.text(values, "table", id) else {
            throw ClientFrame.Problem(id: id, code: 1000, message: "The \"table\" is missing.")
        }
        self.table = table
        let clause = try Self.text(values, "where", id)
        let sort = try Self.text(values, "sortBy", id)
        do {
            try TableName.check(table)
            query = Query(
                try clause.flatMap { try Where.parse($0) },
                sort: try sort.map { try SortTerm.parseAll($0) } ?? []
            )
        } catch { throw ClientFrame.Problem(error, id: id) }
        let epoch = try Self.epoch(values, id)
        switch values["since"] {
        case nil, .null?: since = nil
        case .integer(let number)? where number >= 0: since = Revision(number, epoch: epoch)
        default: throw ClientFrame.Problem(id: id, code: 1000, message: "\"since\" has to be a revision.")
        }
    }

    private static func epoch(_ values: [String: Value], _ id: String) throws(ClientFrame.Problem) -> Epoch? {
        guard let text = try text(values, "epoch", id) else { return nil }
        guard let epoch = Epoch(text) else {
            throw ClientFrame.Problem(
                id: id,
                code: 1000,
                message: "\"epoch\" has to be eight hexadecimal digits."
            )
        }
        return epoch
    }

    private static func text(
        _ values: [String: Value],
        _ name: String,
        _ id: String
    ) throws(ClientFrame.Problem) -> String? {
        switch values[name] {
        case nil, .null?: return nil
        case .text(let text)?: return text
        default: throw ClientFrame.Problem(id: id, code: 1000, message: "\"\(name)\" has to be text.")
        }
    }
}

extension ClientFrame.Problem {
    /// The problem behind an error thrown while making a subscription.
    init(_ error: any Error, id: String) {
        switch error {
        case let refusal as HTTPRefusal: self.init(id: id, code: refusal.code, message: refusal.message)
        case let error as RemoteDataError:
            self.init(id: id, code: error.wireCode, message: error.wireMessage, position: error.position)
        default: self.init(id: id, code: 1500, message: "The server failed.")
        }
    }
}
