import RemoteData

/// The words of scenario files: what is misspelt would otherwise go unnoticed, and expect nothing.
enum ScenarioWords {
    /// What a step of an action says, besides expectations.
    struct Takes {
        var needs: Set<String> = []
        var may: Set<String> = []
    }

    static let file: Set<String> = ["name", "about", "seed", "table", "collection", "steps"]
    static let table: Set<String> = [
        "rows", "log", "integerIDs", "capabilities", "maximumPageSize", "stamp", "stampOverlap",
        "collation", "epochs",
    ]
    static let collection: Set<String> = [
        "where", "sort", "pageSize", "readAhead", "live", "deadline", "cacheLimit", "opens",
        "backlog",
    ]
    static let expectation: Set<String> = [
        "rows", "count", "loaded", "events", "status", "error", "requests", "taken", "ended", "right",
        "errors",
        "statuses", "sent", "stored", "coverage", "hasMore", "known", "narrowed", "heard", "guarantees",
        "audit",
    ]
    static let event: Set<String> = [
        "type", "ids", "own", "inserted", "removed", "updated", "moved", "missed", "rows",
    ]
    static let request: Set<String> = [
        "call", "where", "sort", "offset", "after", "before", "limit", "id", "kind", "row", "rows", "since",
    ]
    static let coverage: Set<String> = ["isComplete", "isVerified", "gaps", "intervals"]
    static let interval: Set<String> = [
        "positions", "first", "last", "reachesStart", "reachesEnd", "isVerified",
    ]
    static let audit: Set<String> = ["missing", "extra", "differing", "compared", "isSettled"]
    static let known: Set<String> = ["rows", "complete"]
    /// What a text, or each of a list, may be.
    static let choices: [String: Set<String>] = [
        "collation": Set(Scenario.collations), "capabilities": Set(Capabilities.full.names),
        "buffering": ["latest", "buffer", "coalescing"], "status": statuses, "statuses": statuses,
    ]
    private static let statuses: Set<String> = ["off", "connecting", "catching up", "live", "interrupted"]
    static let guarantees: Set<String> = ["iteration", "writes", "convergence", "bounds", "deadlines"]
    static let calls: Set<String> = ["count", "page", "row", "commit", "subscribe"]

    static let steps: [ScenarioStep.Action: Takes] = [
        .create: Takes(needs: ["row"]), .upsert: Takes(needs: ["row"]),
        .update: Takes(needs: ["id", "row"]), .updateAll: Takes(needs: ["row"], may: ["where"]),
        .delete: Takes(needs: ["id"]), .deleteAll: Takes(may: ["where"]),
        .open: Takes(), .add: Takes(needs: ["row"]), .insert: Takes(needs: ["row", "at"]),
        .change: Takes(needs: ["id", "row"], may: ["version", "saysVersion"]),
        .remove: Takes(needs: ["id"]), .removeAt: Takes(needs: ["at"]),
        .removeAll: Takes(may: ["where"]), .iterate: Takes(needs: ["name"], may: ["take"]),
        .abandon: Takes(needs: ["name"]), .read: Takes(needs: ["at"]), .prefetch: Takes(needs: ["at", "to"]),
        .populate: Takes(), .refresh: Takes(), .audit: Takes(),
        .narrow: Takes(needs: ["name", "where"], may: ["sort"]),
        .listen: Takes(needs: ["name", "buffering"], may: ["limit"]), .hear: Takes(needs: ["name", "take"]),
        .wait: Takes(needs: ["ms"]), .settle: Takes(), .heal: Takes(),
        .fail: Takes(needs: ["status"], may: ["call", "retryAfter", "times"]),
        .answer: Takes(needs: ["body"], may: ["call", "status", "times"]),
        .loseRequest: Takes(may: ["call", "times", "silently"]),
        .loseReply: Takes(may: ["call", "times", "silently"]),
        .truncate: Takes(may: ["call", "times"]), .spoil: Takes(needs: ["id"]),
        .delay: Takes(needs: ["ms"], may: ["call", "times"]),
        .delayReply: Takes(needs: ["ms"], may: ["call", "times"]), .disconnect: Takes(may: ["silently"]),
        .offline: Takes(may: ["silently"]), .online: Takes(),
        .dropFrames: Takes(may: ["times"]), .duplicateFrames: Takes(may: ["times"]),
        .reorderFrames: Takes(may: ["times"]), .malformFrames: Takes(may: ["times"]),
        .holdFrames: Takes(), .releaseFrames: Takes(), .resetSubscriptions: Takes(),
        .restart: Takes(may: ["keepsLog"]), .beginAnew: Takes(may: ["keepsEpoch", "limit", "times"]),
        .expireToken: Takes(may: ["times"]),
        .skewClock: Takes(needs: ["ms"]), .stallDelivery: Takes(needs: ["ms"]),
    ]
}

// MARK: - Checking

extension ScenarioWords {
    /// Checks every word of a scenario file.
    static func check(_ file: ScenarioValue) throws(ScenarioFileError) {
        try check(file, "A scenario", self.file)
        if let table = file["table"] {
            try check(table, "The table", self.table)
            try checkChoices(table, "The table,")
        }
        if let collection = file["collection"] { try check(collection, "The collection", self.collection) }
        guard case .array(let steps)? = file["steps"] else { return }
        for (number, step) in steps.enumerated() { try check(step, "Step \(number)") }
    }

    private static func check(_ step: ScenarioValue, _ place: String) throws(ScenarioFileError) {
        guard case .object(let members) = step else { return }
        let words = Set(members.keys).subtracting(["do", "expect", "expectNow"])
        if case .text(let word)? = step["do"] {
            guard let takes = steps[ScenarioStep.Action(rawValue: word)] else {
                throw wrong(place, "knows no \"\(word)\" to do", Set(steps.keys.map(\.rawValue)))
            }
            try check(words, "\(place), \(word),", takes.needs.union(takes.may))
            if let missing = takes.needs.subtracting(words).min() {
                throw ScenarioFileError(description: "\(place), \(word), needs \"\(missing)\".")
            }
            if case .text(let call)? = step["call"] { try check([call], "\(place), call,", calls) }
            try checkChoices(step, "\(place),")
        } else if words.count == members.count {
            throw ScenarioFileError(description: "\(place) has nothing to do or to expect.")
        } else {
            try check(words, place, [])
        }
        for name in ["expect", "expectNow"] {
            if let expectation = step[name] { try checkExpectation(expectation, "\(place), \(name),") }
        }
    }

    private static func checkExpectation(
        _ expectation: ScenarioValue,
        _ place: String
    ) throws(ScenarioFileError) {
        try check(expectation, place, self.expectation)
        try checkChoices(expectation, place)
        try checkAll(expectation["events"], "\(place) events,", event)
        try checkAll(expectation["sent"], "\(place) sent,", request)
        if let requests = expectation["requests"] { try check(requests, "\(place) requests,", calls) }
        if let strengths = expectation["guarantees"] {
            try check(strengths, "\(place) guarantees,", guarantees)
        }
        if let audit = expectation["audit"] { try check(audit, "\(place) audit,", self.audit) }
        if let coverage = expectation["coverage"] {
            try check(coverage, "\(place) coverage,", self.coverage)
            try checkAll(coverage["intervals"], "\(place) intervals,", interval)
        }
        if case .object(let listeners)? = expectation["heard"] {
            for (_, events) in listeners { try checkAll(events, "\(place) heard,", event) }
        }
        if case .object(let clauses)? = expectation["known"] {
            for (_, value) in clauses { try check(value, "\(place) known,", known) }
        }
    }

    /// Checks what of a value has to be one of some texts.
    private static func checkChoices(_ value: ScenarioValue, _ place: String) throws(ScenarioFileError) {
        for (name, words) in choices {
            let texts: [ScenarioValue] =
                switch value[name] {
                case .array(let list)?: list
                case let text?: [text]
                case nil: []
                }
            for case .text(let text) in texts { try check([text], "\(place) \(name),", words) }
        }
    }

    private static func checkAll(
        _ list: ScenarioValue?,
        _ place: String,
        _ words: Set<String>
    ) throws(ScenarioFileError) {
        guard case .array(let elements)? = list else { return }
        for element in elements { try check(element, place, words) }
    }

    private static func check(
        _ value: ScenarioValue,
        _ place: String,
        _ words: Set<String>
    ) throws(ScenarioFileError) {
        if case .object(let members) = value { try check(Set(members.keys), place, words) }
    }

    private static func check(
        _ found: Set<String>,
        _ place: String,
        _ words: Set<String>
    ) throws(ScenarioFileError) {
        guard let unknown = found.subtracting(words).min() else { return }
        throw wrong(place, "knows no \"\(unknown)\"", words)
    }

    private static func wrong(_ place: String, _ what: String, _ words: Set<String>) -> ScenarioFileError {
        let known = words.isEmpty ? "" : "; there are " + words.sorted().joined(separator: ", ")
        return ScenarioFileError(description: "\(place) \(what)\(known).")
    }
}
