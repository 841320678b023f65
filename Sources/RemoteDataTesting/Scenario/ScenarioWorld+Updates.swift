import Foundation
import RemoteData
import Synchronization

// Updates of rows that were read before others changed them.
extension ScenarioWorld {
    /// Notes that a caller was given an element.
    func noteRead(_ element: Element?) {
        guard let element, let id = RowID(anyIdentifier: element.id),
            let json = try? JSONEncoder().encode(element),
            let value = ScenarioValue(json: Array(json)[...])
        else { return }
        state.withLock { state in
            if state.versions[id]?.last != value { state.versions[id, default: []].append(value) }
        }
    }

    /// Changes a row, from the version that a step says.
    func update(
        _ id: RowID,
        _ step: ScenarioStep,
        _ collection: RemoteDataCollection<Element>
    ) async throws(RemoteDataError) {
        let read = state.withLock { $0.versions[id] ?? [] }
        var original = step.version.flatMap { read.dropLast($0).last ?? read.first }
        let isKnown = collection.inspect().rows.contains { $0?.id == id }
        let base: ScenarioValue
        if let original {
            base = original
        } else {
            base = try await known(id, collection)
            if isKnown { original = base }
        }
        let (new, old) = (try element(base.merging(step.row ?? .object([:]))), try element(base))
        let update = RequestedUpdate(original: original, element: value(of: new) ?? .object([:]))
        state.withLock { $0.updates[id, default: []].append(update) }
        noteRead(
            step.saysVersion ?? false
                ? try await collection.update(new, from: old) : try await collection.update(new)
        )
    }

    private func value(of element: Element) -> ScenarioValue? {
        (try? JSONEncoder().encode(element)).flatMap { ScenarioValue(json: Array($0)[...]) }
    }

    /// No update has changed a column that its caller did not change.
    ///
    /// What the client itself wrote last may be changed back, also where others have just written something
    /// else.
    func checkUpdates() {
        let requested = state.withLock { $0.updates }
        var written: [RowID: [String: [ScenarioValue]]] = [:]
        for update in server.updates {
            guard case .object(let patch) = update.patch else { continue }
            let changed = patch.filter { $1 != update.before[$0] ?? .null }
            let isRight = requested[update.id]?.contains { request in
                changed.allSatisfy { name, value in
                    let before = update.before[name] ?? .null
                    return value == request.element[name] ?? .null
                        && (request.changes(name) || written[update.id]?[name]?.contains(before) ?? false
                            || written[update.id]?[name]?.last.map { $0 != value } ?? false)
                }
            }
            if isRight != true {
                let names = changed.keys.sorted().joined(separator: ", ")
                fail(
                    "no lost update",
                    "An update of \(update.id) changed \(names), which no caller asked for."
                )
            }
            for (name, value) in patch { written[update.id, default: [:]][name, default: []].append(value) }
        }
    }
}

extension ScenarioWorld.RequestedUpdate {
    /// Whether the caller changed a column.
    fileprivate func changes(_ name: String) -> Bool {
        guard let original else { return true }
        return original[name] ?? .null != element[name] ?? .null
    }
}
