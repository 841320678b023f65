import RemoteData

@testable import RemoteDataBackends

/// Actions in words.
func words(_ actions: [BackendlessSubscriptions.Action]) -> [String] {
    actions.map { action in
        switch action {
        case .open(let number): "open \(number)"
        case .close(let number): "close \(number)"
        case .reconnect(let number): "reconnect \(number)"
        case .confirm(let number): "confirm \(number)"
        case .say(let number, let call): "say \(number) \(said(call))"
        case .renewToken(let number): "renew \(number)"
        case .startDeadline(let number): "deadline \(number)"
        case .linger(let number): "linger \(number)"
        case .read(let table, let ids): "read \(table) \(ids.map(\.description).joined(separator: ","))"
        case .finish(let id): "finish \(id)"
        case .deliver(let id, let events): "\(id): " + events.map(said).joined(separator: ", ")
        }
    }
}

/// What is said to ask for all events of a table.
func asked(_ table: String, session: Int = 1, from first: Int = 1) -> [String] {
    let events = [
        "created", "updated", "upserted", "deleted", "bulk-created", "bulk-updated", "bulk-upserted",
        "bulk-deleted",
    ]
    return events.enumerated().map { "say \(session) SUB_ON c-\(first + $0) \(table) \($1)" }
}

private func said(_ call: BackendlessCall) -> String {
    let members = (try? JSONObject.members(of: call.body[...])) ?? []
    let parts = Dictionary(members.map { ($0.name, $0.json) }) { first, _ in first }
    let options = parts["options"].flatMap { try? JSONObject.members(of: $0) } ?? []
    let values = ([parts["id"]].compactMap(\.self) + options.map(\.json)).map { json in
        if case .text(let text)? = Value(json: json) { text } else { "?" }
    }
    return ([call.name] + values).joined(separator: " ")
}

private func said(_ event: ChangeEvent) -> String {
    switch event {
    case .live: "live"
    case .reset: "reset"
    case .interrupted(let error): "interrupted \(error.code)"
    case .change(let change):
        "\(change.kind) \(change.id?.description ?? change.predicate?.description ?? "all")"
            + (change.left ? " left" : "") + (change.count.map { " \($0)" } ?? "")
    case .progress: "progress"
    }
}

extension BackendlessSubscriptions {
    /// Subscribes to tables, and has the server be ready to tell everything.
    mutating func open(_ tables: String...) -> [String] {
        var said: [String] = []
        for (number, table) in tables.enumerated() {
            said += words(begin(number + 1, table: table, query: Query()))
        }
        said += words(connected(1))
        for id in 1...(8 * tables.count) { said += words(isReady(id)) }
        return said
    }

    /// The server is ready to tell something.
    mutating func isReady(_ id: Int) -> [Action] { received(1, .ready(id: "c-\(id)"), at: .zero) }

    /// An event of the first table is told.
    mutating func hears(_ event: BackendlessEvent, _ json: String, at seconds: Int = 0) -> [String] {
        let number = (BackendlessEvent.allCases.firstIndex(of: event) ?? 0) + 1
        let message = BackendlessMessage.told(id: "c-\(number)", data: Array(json.utf8)[...])
        return words(received(1, message, at: .seconds(seconds)))
    }
}

extension BackendlessProblem {
    static func problem(_ code: Int) -> BackendlessProblem {
        BackendlessProblem(json: Array(#"{"code":\#(code),"message":"no"}"#.utf8)[...])
    }
}
