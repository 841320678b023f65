import Foundation
import RemoteData
import RemoteDataTesting
import Synchronization

/// What somebody knows of a collection who looked at it once, and from then on has read nothing but its changes.
final class Told: Sendable {
    private struct State {
        var replica: ScenarioReplica
        var taken = 0
        /// What was told since the last look, in words.
        var trail: [String] = []
        /// What was reported of each row since the last look, in words.
        var tellings: [RowID: [String]] = [:]
        var missed = false
    }

    private let state: Mutex<State>
    private let sent = Atomic<Int>(0)
    /// How many milliseconds the handler takes for each change.
    private let delay = Atomic<Int>(0)

    /// Looks at a collection and listens from then on; on its delivery queue, while it is at rest.
    init?(_ collection: RemoteDataCollection<ScenarioRow>) {
        let inspection = collection.inspect()
        guard inspection.isAtRest else { return nil }
        // Which rows leave the memory is not reported, so that of the others only the positions are compared.
        let forgets = collection.options.cacheLimit != nil
        let replica = ScenarioReplica(inspection, of: ScenarioRow.self, forgets: forgets)
        state = Mutex(State(replica: replica))
        collection.dataChangedHandler = { [weak self] _ in
            guard let self else { return }
            sent.add(1, ordering: .relaxed)
            let milliseconds = delay.load(ordering: .relaxed)
            if milliseconds > 0 { Thread.sleep(forTimeInterval: Double(milliseconds) / 1_000) }
        }
        let changes = collection.changes(buffering: .buffer(1_000_000))
        Task { [weak self] in
            for await change in changes { self?.take(change) }
        }
    }

    private func take(_ change: CollectionChange<ScenarioRow>) {
        state.withLock { state in
            state.taken += 1
            if state.trail.count < 100 { state.trail.append(Self.words(change)) }
            // From there on everything is reported anew.
            if change.type == .dataLoaded { state.tellings = [:] }
            for id in change.ids { state.tellings[id, default: []].append(Self.words(change)) }
            if change.hasMissed { state.missed = true }
            state.replica.apply(change)
        }
    }

    private static func words(_ change: CollectionChange<ScenarioRow>) -> String {
        let parts = [
            ("inserted", change.inserted.map(\.description)),
            ("removed", change.removedRanges.map(\.description)),
            ("updated", change.updated.map(\.description)),
            ("moved", change.moved.map { "\($0.from) to \($0.to)" }),
        ]
        let positions = parts.filter { !$0.1.isEmpty }.map { " \($0.0) \($0.1.joined(separator: ", "))" }
        let revision = change.revision.map { " at \($0)" } ?? ""
        return "\(change.isOwn ? "own " : "")\(change.type) \(change.ids)\(revision)\(positions.joined())"
    }

    /// Has the handler take some milliseconds for each change.
    func slowDown(milliseconds: Int) { delay.store(milliseconds, ordering: .relaxed) }

    /// Whether everything that was told has been read.
    var isUpToDate: Bool { state.withLock { $0.taken == sent.load(ordering: .relaxed) } }

    /// What was reported of each row since the last look, in words; while this is up to date.
    var tellings: [RowID: [String]] { state.withLock { $0.tellings } }

    /// What differs from the collection; nil when nothing does.
    ///
    /// On the delivery queue, while the collection is at rest and this is up to date. Looks anew from here on where the changes
    /// said that one has to.
    func difference(from collection: RemoteDataCollection<ScenarioRow>) -> String? {
        let inspection = collection.inspect()
        return state.withLock { state in
            defer {
                state.replica.look(inspection)
                state.trail = []
                state.tellings = [:]
            }
            if state.missed, !collection.options.hasSmallBacklog {
                return "Changes were left out although there was room for them."
            }
            return state.replica.difference(from: inspection).map {
                "\($0) It was told: \(state.trail.joined(separator: "; "))."
            }
        }
    }
}

extension CollectionOptions {
    /// Whether few changes may wait for handlers; more of them are left out, for one `dataLoaded`.
    var hasSmallBacklog: Bool {
        surroundings.backlogLimit < CollectionOptions().surroundings.backlogLimit
    }
}
