import RemoteData

@testable import RemoteDataBackends

/// Actions in words.
func said(_ actions: [SubscriptionMachine.Action]) -> [String] {
    actions.flatMap { action -> [String] in
        switch action {
        case .open(let number): ["open \(number)"]
        case .close(let number): ["close \(number)"]
        case .reconnect: ["reconnect"]
        case .confirm(let number): ["confirm \(number)"]
        case .deliver(let id, let events): events.map { "\(id) \(said($0))" }
        case .finish(let id): ["\(id) finish"]
        case .linger(let number): ["linger \(number)"]
        case .startDeadline(let number): ["deadline \(number)"]
        case .startPatience(let number): ["patience \(number)"]
        }
    }
}

private func said(_ event: ChangeEvent) -> String {
    switch event {
    case .live(let revision): "live \(revision.map(\.description) ?? "-")"
    case .change(let change): "\(change.kind) \(change.revision.map(\.description) ?? "-")"
    case .progress(let revision): "progress \(revision)"
    case .interrupted(let error): "interrupted \(error.code)"
    case .reset: "reset"
    }
}
