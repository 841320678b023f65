import RemoteData
import Synchronization

// Comparing with what a scenario expects.
extension ScenarioWorld {
    /// Waits until nothing is under way and compares.
    func check(_ expectation: ScenarioExpectation) {
        settle()
        guard let collection else { return }
        let inspection = collection.inspect()
        let (events, error, iterations) = state.withLock { state in
            defer { (state.events, state.lastError) = ([], nil) }
            return (state.events, state.lastError, state.iterations)
        }
        let requests = newRequests()
        if let expected = expectation.rows { checkRows(expected, inspection) }
        compare("count", expectation.count, inspection.rows.count)
        compare("loaded", expectation.loaded, inspection.rows.count { $0 != nil })
        compare("status", expectation.status, collection.liveStatus.word)
        compare("error", expectation.error, error ?? "none")
        if let expected = expectation.events { checkEvents(expected, events) }
        for (call, count) in (expectation.requests ?? [:]).sorted(by: { $0.key < $1.key }) {
            compare("requests (\(call))", count, requests[call] ?? 0)
        }
        for (name, ids) in (expectation.taken ?? [:]).sorted(by: { $0.key < $1.key }) {
            compare("taken (\(name))", ids, iterations[name]?.taken.map { ScenarioValue($0) } ?? [])
        }
        for name in expectation.ended ?? [] {
            compare("ended (\(name))", true, iterations[name]?.isEnded ?? false)
        }
        if let isRight = expectation.right {
            let difference = difference(collection)
            if isRight != (difference == nil) {
                fail("right", difference ?? "Everything is right, which was not expected.")
            }
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

    private func checkRows(_ expected: [ScenarioValue], _ inspection: CollectionInspection) {
        let found = inspection.rows.map { row in row.flatMap { ScenarioValue(json: $0.json) } ?? .null }
        let isRight =
            expected.count == found.count
            && zip(expected, found).allSatisfy { wanted, row in
                switch wanted {
                case .object: wanted.describes(row)
                case .null: row == .null
                default: row[server.table.idColumn] == wanted
                }
            }
        if !isRight { fail("rows", "Expected \(readable(expected)), found \(readable(found)).") }
    }

    private func checkEvents(_ expected: [ScenarioValue], _ found: [ScenarioValue]) {
        let isRight =
            expected.count == found.count
            && zip(expected, found).allSatisfy { wanted, event in
                if case .text = wanted { event["type"] == wanted } else { wanted.describes(event) }
            }
        if !isRight { fail("events", "Expected \(readable(expected)), found \(readable(found)).") }
    }
}
