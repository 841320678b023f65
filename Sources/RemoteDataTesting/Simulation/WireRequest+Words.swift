import RemoteData

extension WireRequest {
    /// What is asked for, in the words of scenario files.
    var words: ScenarioValue {
        var words: [String: ScenarioValue] = ["call": .text(name)]
        switch call {
        case .count(let query): words.merge(Self.words(query)) { $1 }
        case .page(let request):
            words.merge(Self.words(request.query)) { $1 }
            words["limit"] = .integer(Int64(request.limit))
            switch request.start {
            case .offset(let offset): words["offset"] = .integer(Int64(offset))
            case .after(let key): words["after"] = ScenarioValue(key.id)
            case .beyond(let key, let offset):
                (words["after"], words["offset"]) = (ScenarioValue(key.id), .integer(Int64(offset)))
            case .before(let key): words["before"] = ScenarioValue(key.id)
            }
        case .row(let id): words["id"] = ScenarioValue(id)
        case .commit(let mutation): words.merge(Self.words(mutation)) { $1 }
        case .changes(let since, _): words["since"] = .integer(Int64(since.rawValue))
        }
        return .object(words)
    }

    /// A subscription.
    static func subscription(_ query: Query, since: Revision?) -> ScenarioValue {
        let since = since.map { ScenarioValue.integer(Int64($0.rawValue)) } ?? .null
        return .object(words(query).merging(["call": "subscribe", "since": since]) { $1 })
    }

    /// A query's clause and order.
    static func words(_ query: Query) -> [String: ScenarioValue] {
        var words: [String: ScenarioValue] = [:]
        if let filter = query.filter { words["where"] = .text(filter.description) }
        if !query.sort.isEmpty {
            words["sort"] = .text(query.sort.sortText)
        }
        return words
    }

    private static func words(_ mutation: Mutation) -> [String: ScenarioValue] {
        func rows(_ drafts: [Draft]) -> ScenarioValue {
            .array(drafts.map { ScenarioValue(json: $0.json) ?? .null })
        }
        switch mutation {
        case .create(let drafts): return ["kind": "create", "rows": rows(drafts)]
        case .upsert(let drafts): return ["kind": "upsert", "rows": rows(drafts)]
        case .update(let id, let patch, _):
            return ["kind": "update", "id": ScenarioValue(id), "row": ScenarioValue(json: patch) ?? .null]
        case .updateAll(let filter, let patch):
            return [
                "kind": "updateAll", "where": .text(filter?.description ?? ""),
                "row": ScenarioValue(json: patch) ?? .null,
            ]
        case .delete(let id, _): return ["kind": "delete", "id": ScenarioValue(id)]
        case .deleteAll(let filter):
            return ["kind": "deleteAll", "where": .text(filter?.description ?? "")]
        }
    }
}
