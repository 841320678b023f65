public import Foundation
import Synchronization

/// A cache that is gone with the program: for tests, and for what need not outlast it.
public final class MemoryModelCache: ModelCache {
    private struct State {
        var models: [ModelID: Data] = [:]
        var lists: [String: [CachedElement]] = [:]
    }

    private let state = Mutex(State())

    /// Creates an empty one.
    public init() {}

    /// The model with an id.
    public func model(_ id: ModelID) async throws -> Data? { state.withLock { $0.models[id] } }

    /// The models of a list.
    public func list(_ key: String) async throws -> [Data]? {
        state.withLock { state in
            state.lists[key].map { elements in
                elements.compactMap { element in
                    switch element {
                    case .model(let id): state.models[id]
                    case .data(let data): data
                    }
                }
            }
        }
    }

    /// Does all of these.
    public func write(_ changes: [ModelCacheChange]) async throws {
        state.withLock { state in
            for change in changes {
                switch change {
                case .model(let id, let data): state.models[id] = data
                case .deleteModel(let id):
                    state.models[id] = nil
                    for key in state.lists.keys {
                        state.lists[key]?.removeAll { if case .model(id) = $0 { true } else { false } }
                    }
                case .list(let key, let elements): state.lists[key] = elements
                }
            }
        }
    }
}
