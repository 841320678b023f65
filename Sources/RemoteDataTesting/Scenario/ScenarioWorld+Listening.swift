import Foundation
import RemoteData
import Synchronization

/// A listener that takes changes only when it is told to.
struct ScenarioListener: Sendable {
    let orders = ScenarioOrders()
    /// What it has taken since the last expectation.
    var heard: [ScenarioValue] = []
}

// Those who listen to the collection of a scenario.
extension ScenarioWorld {
    /// Listens from now on, slowly.
    func listen(_ name: String, _ step: ScenarioStep, to collection: RemoteDataCollection<Element>) {
        let limit = step.limit ?? 1_000
        let policies: [String: ChangeBuffering] = [
            "latest": .latest, "buffer": .buffer(limit), "coalescing": .coalescing(limit: limit),
        ]
        guard let policy = policies[step.buffering ?? ""] else {
            return fail("step", "Nothing waits as \(step.buffering ?? "nothing") says.")
        }
        let listener = ScenarioListener()
        state.withLock { state in state.listeners.updateValue(listener, forKey: name)?.orders.end() }
        let changes = collection.changes(buffering: policy)
        scheduler.start { [weak self] in
            var reader = changes.makeAsyncIterator()
            while await listener.orders.next() {
                guard let change = await reader.next(), let self else { return }
                self.state.withLock { $0.listeners[name]?.heard.append(Self.describe(change)) }
            }
        }
    }

    /// Lets a listener take changes.
    func hear(_ name: String, _ count: Int) {
        guard let listener = state.withLock({ $0.listeners[name] }) else {
            // In a generated scenario the collection may not have been open when it was to begin.
            if scenario.seed == nil { fail("step", "No listener has the name \(name).") }
            return
        }
        listener.orders.order(count)
    }

    /// Notes how it is with the delivery of changes.
    func followStatus(of collection: RemoteDataCollection<Element>) {
        let statuses = collection.liveStatuses
        scheduler.start { [weak self] in
            for await status in statuses { self?.noteStatus(status) }
        }
    }

    /// What a change tells, as files say it.
    static func describe(_ change: CollectionChange<Element>) -> ScenarioValue {
        func positions(_ list: [Int]) -> ScenarioValue { .array(list.map { .integer(Int64($0)) }) }
        return .object([
            "type": .text("\(change.type)"), "ids": .array(change.ids.map { ScenarioValue($0) }),
            "own": .bool(change.isOwn), "inserted": positions(change.inserted),
            "removed": positions(change.removed), "updated": positions(change.updated),
            "moved": .array(change.moved.map { positions([$0.from, $0.to]) }),
            "missed": .bool(change.hasMissed), "rows": .array(change.rows.map { describe($0) }),
        ])
    }

    /// A row of the collection as files say it.
    static func describe(_ element: Element) -> ScenarioValue {
        guard let json = try? JSONEncoder().encode(element) else { return .null }
        return ScenarioValue(json: Array(json)[...]) ?? .null
    }
}
