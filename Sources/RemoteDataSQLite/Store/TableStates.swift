import RemoteData
import Synchronization

/// The tables of a store by name, and names of others that are in use.
final class TableStates: Sendable {
    private let states = Mutex(TableRegistry<TableState> { $0.isIdle })
    /// Where the changes of the tables are delivered.
    private let delivery: ChangeHub.Delivery

    init(delivery: ChangeHub.Delivery) { self.delivery = delivery }

    /// The table of a name, when it has been asked for or has rows.
    subscript(name: String) -> TableState? { states.withLock { $0[name] } }

    /// The table of a name, whether it has rows or not.
    func make(_ name: String) throws(RemoteDataError) -> TableState {
        let result = states.withLock { states in
            Result { () throws(RemoteDataError) in
                try states.entry(name) { TableState(name: name, info: nil, delivery: delivery) }
            }
        }
        return try result.get()
    }

    /// Takes over what was read from the file.
    func update(from catalog: Catalog) {
        states.withLock { states in
            for (name, info) in catalog.tables {
                if let state = states[name] {
                    state.update(info)
                } else {
                    states.insert(TableState(name: name, info: info, delivery: delivery), for: name)
                }
            }
        }
    }

    /// The names of the tables that have had a row, sorted.
    var names: [String] { all.filter { $0.hasHadRows }.map(\.name) }

    /// The tables in the order of their names, so that what is done to all of them is the same in every process.
    var all: [TableState] { states.withLock { $0.all }.sorted { $0.name < $1.name } }
}
