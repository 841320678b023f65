import RemoteData
import Synchronization

// Comparing with what a scenario expects.
extension ScenarioWorld {
    /// Compares with what is so now.
    func check(_ expectation: ScenarioExpectation) {
        checkTraffic(expectation)
        if let collection {
            check(expectation, collection)
        } else if expectation.needsCollection {
            fail("collection", "It is not open.")
        }
    }

    private func check(_ expectation: ScenarioExpectation, _ collection: RemoteDataCollection<Element>) {
        let inspection = collection.inspect()
        let (events, iterations) = state.withLock { state in
            defer { state.events = [] }
            return (state.events, state.iterations)
        }
        if let expected = expectation.rows { checkRows("rows", expected, inspection.rows) }
        compare("count", expectation.count, inspection.rows.count)
        compare("loaded", expectation.loaded, inspection.rows.count { $0 != nil })
        compare("status", expectation.status, collection.liveStatus.word)
        if let expected = expectation.events { checkList("events", "type", expected, events) }
        for (name, ids) in (expectation.taken ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let iteration = iterations[name] else {
                fail("taken", "There is no iteration \(name).")
                continue
            }
            compare("taken (\(name))", ids, iteration.taken.map { ScenarioValue($0) })
        }
        if let expected = expectation.ended {
            compare("ended", expected.sorted(), iterations.filter { $0.value.isEnded }.keys.sorted())
        }
        if let isRight = expectation.right {
            let difference = difference(collection)
            if isRight != (difference == nil) {
                fail("right", difference ?? "Everything is right, which was not expected.")
            }
        }
        checkKnowledge(expectation, collection)
        checkListeners(expectation)
    }

    /// What went over the network, and what of it failed.
    private func checkTraffic(_ expectation: ScenarioExpectation) {
        let (error, errors) = state.withLock { state in
            defer { (state.lastError, state.errors) = (nil, []) }
            return (state.lastError, state.errors)
        }
        compare("error", expectation.error, error ?? "none")
        compare("errors", expectation.errors, errors)
        let (requests, sent) = (newRequests(), network.takeSent())
        for (call, count) in (expectation.requests ?? [:]).sorted(by: { $0.key < $1.key }) {
            compare("requests (\(call))", count, requests[call] ?? 0)
        }
        if let expected = expectation.sent { checkList("sent", "call", expected, sent) }
        if let expected = expectation.stored {
            let found = immediately { [server] () async throws(RemoteDataError) in
                try await server.table.page(PageRequest(Query(nil), limit: 1_000)).rows
            }
            switch found {
            case .success(let rows): checkRows("stored", expected, rows)
            case .failure(let error): fail("stored", "The server cannot be asked: \(error)")
            }
        }
    }

    private func checkKnowledge(
        _ expectation: ScenarioExpectation,
        _ collection: RemoteDataCollection<Element>
    ) {
        checkValue("coverage", expectation.coverage, Self.describe(collection.coverage))
        checkValue("hasMore", expectation.hasMore, Self.describe(collection.hasMore))
        for (clause, expected) in (expectation.known ?? [:]).sorted(by: { $0.key < $1.key }) {
            checkValue("known (\(clause))", expected, Self.known(clause, in: collection))
        }
        let strengths = Self.strengths(collection.guarantees)
        for (name, expected) in (expectation.guarantees ?? [:]).sorted(by: { $0.key < $1.key }) {
            compare("guarantees (\(name))", expected, strengths[name] ?? "none")
        }
        let (narrowed, audit) = state.withLock { ($0.narrowed, $0.audit) }
        for (name, expected) in (expectation.narrowed ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let found = narrowed[name]?.inspect().rows else {
                fail("narrowed", "There is no collection \(name).")
                continue
            }
            checkRows("narrowed (\(name))", expected, found)
        }
        checkValue("audit", expectation.audit, audit)
    }

    private func checkListeners(_ expectation: ScenarioExpectation) {
        let (listeners, statuses) = state.withLock { state in
            defer {
                for name in state.listeners.keys { state.listeners[name]?.heard = [] }
                state.statuses = []
            }
            return (state.listeners, state.statuses)
        }
        compare("statuses", expectation.statuses, statuses)
        for (name, expected) in (expectation.heard ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let listener = listeners[name] else {
                fail("heard", "There is no listener \(name).")
                continue
            }
            checkList("heard (\(name))", "type", expected, listener.heard)
        }
    }

    private func newRequests() -> [String: Int] {
        let now = network.requests
        return state.withLock { state in
            defer { state.requestsSeen = now }
            return now.merging(state.requestsSeen) { $0 - $1 }
        }
    }

    private func compare<Value: Equatable>(_ what: String, _ expected: Value?, _ found: Value) {
        guard let expected, expected != found else { return }
        fail(what, "Expected \(readable(expected)), found \(readable(found)).")
    }

    private func readable(_ value: Any) -> String {
        switch value {
        case let value as ScenarioValue: String(decoding: value.json, as: UTF8.self)
        case let list as [ScenarioValue]: "[" + list.map { readable($0) }.joined(separator: ",") + "]"
        default: "\(value)"
        }
    }

    private func checkValue(_ what: String, _ expected: ScenarioValue?, _ found: ScenarioValue) {
        guard let expected, !expected.describes(found) else { return }
        fail(what, "Expected \(readable(expected)), found \(readable(found)).")
    }

    private func checkRows(_ what: String, _ expected: [ScenarioValue], _ rows: [Row?]) {
        let found = rows.map { row in row.flatMap { ScenarioValue(json: $0.json) } ?? .null }
        let isRight =
            expected.count == found.count
            && zip(expected, found).allSatisfy { wanted, row in
                switch wanted {
                case .object: wanted.describes(row)
                case .null: row == .null
                default: row[server.table.idColumn] == wanted
                }
            }
        if !isRight { fail(what, "Expected \(readable(expected)), found \(readable(found)).") }
    }

    /// Compares things of which each is described by a word or by some of its members.
    private func checkList(
        _ what: String,
        _ word: String,
        _ expected: [ScenarioValue],
        _ found: [ScenarioValue]
    ) {
        let isRight =
            expected.count == found.count
            && zip(expected, found).allSatisfy { wanted, one in
                if case .text = wanted { one[word] == wanted } else { wanted.describes(one) }
            }
        if !isRight { fail(what, "Expected \(readable(expected)), found \(readable(found)).") }
    }
}

extension ScenarioExpectation {
    /// Whether it says anything of a collection.
    fileprivate var needsCollection: Bool {
        let ofRows = rows != nil || count != nil || loaded != nil || right != nil || narrowed != nil
        let ofEvents = events != nil || status != nil || heard != nil || taken != nil || ended != nil
        let ofKnowledge =
            coverage != nil || known != nil || hasMore != nil || guarantees != nil || audit != nil
        return ofRows || ofEvents || ofKnowledge
    }
}
