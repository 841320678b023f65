import RemoteData

@testable import RemoteDataBackends

/// Actions in words.
func said(_ actions: [KintoSubscriptions.Action]) -> [String] {
    actions.flatMap { action -> [String] in
        switch action {
        case .look(let round, let id): ["look \(round)" + (id.map { " after \($0)" } ?? "")]
        case .ask(let round, let since): ["ask \(round) since \(since)"]
        case .wait(let round): ["wait \(round)"]
        case .waitLonger(let round, let failures, let error):
            ["wait \(round) after \(failures)" + (error.retryAfter.map { " at least \($0)" } ?? "")]
        case .stop: ["stop"]
        case .deliver(let id, let events): events.map { "\(id) \(said($0))" }
        case .finish(let id): ["\(id) finish"]
        }
    }
}

private func said(_ event: ChangeEvent) -> String {
    switch event {
    case .live(let revision): "live \(revision.map(\.description) ?? "-")"
    case .change(let change):
        (change.left ? "left" : "\(change.kind)")
            + " \(change.id?.description ?? "-") \(change.revision.map(\.description) ?? "-")"
    case .progress(let revision): "progress \(revision)"
    case .interrupted(let error): "interrupted \(error.code)"
    case .reset: "reset"
    }
}

extension KintoList {
    /// A list of changes: `a1010` is a row that was changed at 1010, `-a1010` one that was removed then.
    static func changes(_ words: String = "", revision: Int, hasMore: Bool = false) throws -> KintoList {
        let jsons = words.split(separator: " ").map { word in
            let name = word.drop { $0 == "-" }.prefix { $0.isLetter }
            let mark = word.hasPrefix("-") ? #","deleted":true"# : ""
            return #"{"id":"\#(name)","last_modified":\#(word.drop { !$0.isNumber })\#(mark)}"#
        }
        return try KintoShelf.list(jsons, revision: revision, hasMore: hasMore)
    }
}
