import RemoteData
import RemoteDataNetwork

/// What a server says over the socket.
enum BackendlessMessage: Sendable {
    /// A subscription is heard of from now on.
    case ready(id: String)
    /// Something happened that a subscription is about.
    case told(id: String, data: ArraySlice<UInt8>)
    /// A subscription has ended, or never began.
    case refused(id: String, BackendlessProblem)
    /// A method was called; with a problem when that failed.
    case called(id: String, BackendlessProblem?)
    /// A message about subscriptions that cannot be read.
    case unreadable

    /// Reads an event; nil for one that concerns nobody here.
    init?(_ event: SocketIOEvent) {
        guard ["SUB_READY", "SUB_RES", "MET_RES"].contains(event.name) else { return nil }
        let arguments = (try? JSONObject.elements(of: event.json[...])) ?? []
        let members = arguments.dropFirst().first.flatMap { try? JSONObject.members(of: $0) } ?? []
        let parts = Dictionary(members.map { ($0.name, $0.json) }) { first, _ in first }
        guard case .text(let id)? = parts["id"].flatMap(Value.init(json:)) else {
            self = .unreadable
            return
        }
        let error = parts["error"].flatMap { Value(json: $0) == .null ? nil : BackendlessProblem(json: $0) }
        switch event.name {
        case "SUB_READY": self = .ready(id: id)
        case "MET_RES": self = .called(id: id, error)
        default:
            if let error {
                self = .refused(id: id, error)
            } else if let data = parts["data"] {
                self = .told(id: id, data: data)
            } else {
                self = .unreadable
            }
        }
    }
}

/// What is said to a server over the socket.
struct BackendlessCall: Sendable, Equatable {
    let name: String
    let body: [UInt8]

    /// Begins a subscription to a table, without a clause: a server says nothing of rows that leave one.
    static func begin(_ id: String, _ table: String, _ event: BackendlessEvent) -> BackendlessCall {
        var options = JSONBody()
        options.member("tableName", table)
        options.member("event", event.rawValue)
        var body = JSONBody()
        body.member("id", id)
        body.member("name", "OBJECTS_CHANGES")
        body.member("options", json: options.closed)
        return BackendlessCall(name: "SUB_ON", body: body.closed)
    }

    /// Ends a subscription.
    static func end(_ id: String) -> BackendlessCall {
        var body = JSONBody()
        body.member("id", id)
        return BackendlessCall(name: "SUB_OFF", body: body.closed)
    }

    /// Shows a new token.
    static func token(_ id: String, _ token: String) -> BackendlessCall {
        var options = JSONBody()
        options.member("userToken", token)
        var body = JSONBody()
        body.member("id", id)
        body.member("name", "SET_USER_TOKEN")
        body.member("options", json: options.closed)
        return BackendlessCall(name: "MET_REQ", body: body.closed)
    }
}
