import RemoteData
import Synchronization

/// What all holders of a table share: its subscriptions, what is known of it, and its indexes.
final class TableState: Sendable {
    private struct State {
        var info: TableInfo?
        var advisor: IndexAdvisor?
        var labelHubs: [String: ChangeHub] = [:]
    }

    let name: String
    let hub: ChangeHub
    private let delivery: ChangeHub.Delivery
    let watchers = TableWatchers()
    private let state: Mutex<State>

    init(name: String, info: TableInfo?, delivery: ChangeHub.Delivery) {
        (self.name, self.delivery) = (name, delivery)
        hub = ChangeHub(delivery: delivery)
        state = Mutex(State(info: info))
    }

    /// What was last committed; nil as long as the table has had no row.
    var info: TableInfo? { state.withLock { $0.info } }

    /// Whether the table has ever had a row.
    var hasHadRows: Bool { info.map { $0.revision.rawValue > 0 } ?? false }

    /// Whether nothing is lost with it: there is no table of the name yet, and no subscription to one.
    var isIdle: Bool {
        info == nil && !hub.isListenedTo && watchers.isEmpty
            && !labelHubs.values.contains { $0.isListenedTo }
    }

    /// Takes what was committed; called by the writer alone.
    func update(_ info: TableInfo) { state.withLock { $0.info = info } }

    /// Where changes of what a label holds of the table are told.
    func hub(of label: String) -> ChangeHub {
        state.withLock { state in
            let hub = state.labelHubs[label] ?? ChangeHub(delivery: delivery)
            state.labelHubs[label] = hub
            return hub
        }
    }

    /// The same, where anybody has asked for it.
    func knownHub(of label: String) -> ChangeHub? { state.withLock { $0.labelHubs[label] } }

    /// What anybody has asked for of that kind, by the labels.
    var labelHubs: [String: ChangeHub] { state.withLock { $0.labelHubs } }

    /// Notes a query and returns the index to be made for it, if any.
    func advice(for shape: IndexShape) -> (TableInfo, IndexAdvisor.Advice)? {
        state.withLock { state in
            guard let info = state.info else { return nil }
            var advisor = state.advisor ?? IndexAdvisor(table: info.number, indexes: info.indexes)
            let advice = advisor.uses(shape, rows: info.rows)
            state.advisor = advisor
            return advice.map { (info, $0) }
        }
    }
}
