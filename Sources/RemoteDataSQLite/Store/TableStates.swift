import RemoteData
import Synchronization

/// The tables of a store that anybody has asked for, by name.
final class TableStates: Sendable {
    /// How many tables a store can have, so that asking for names cannot fill the memory.
    static let limit = 10_000

    private let states = Mutex<[String: TableState]>([:])

    /// The table of a name, when it has been asked for or has rows.
    subscript(name: String) -> TableState? { states.withLock { $0[name] } }

    /// The table of a name, whether it has rows or not.
    func make(_ name: String) throws(RemoteDataError) -> TableState {
        let state = states.withLock { states -> TableState? in
            if let known = states[name] { return known }
            guard states.count < Self.limit else { return nil }
            let state = TableState(name: name, info: nil)
            states[name] = state
            return state
        }
        guard let state else {
            throw RemoteDataError(.tooLarge, "The store has its limit of \(Self.limit) tables.")
        }
        return state
    }

    /// Takes over what was read from the file.
    func update(from catalog: Catalog) {
        states.withLock { states in
            for (name, info) in catalog.tables {
                if let state = states[name] {
                    state.update(info)
                } else {
                    states[name] = TableState(name: name, info: info)
                }
            }
        }
    }

    /// The names of the tables that have had a row, sorted.
    var names: [String] { all.filter { $0.hasHadRows }.map(\.name) }

    /// The tables in the order of their names, so that what is done to all of them is the same in every process.
    var all: [TableState] { states.withLock { Array($0.values) }.sorted { $0.name < $1.name } }
}
