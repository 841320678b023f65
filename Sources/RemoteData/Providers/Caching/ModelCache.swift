public import Foundation

/// Where models and lists of models are kept for the next time.
///
/// A ``ModelSpace`` calls one method at a time, in the order in which things were done, so that a later write is never overtaken. Models come as JSON.
public protocol ModelCache: Sendable {
    /// A model; nil if there is none with this id.
    func model(_ id: ModelID) async throws -> Data?

    /// The models of a list in their order, without those that were deleted; nil if there is no such list.
    func list(_ key: String) async throws -> [Data]?

    /// Does all of these in order, or none.
    func write(_ changes: [ModelCacheChange]) async throws
}

/// Something to be done in a ``ModelCache``.
public enum ModelCacheChange: Sendable {
    /// A model is new or another.
    case model(ModelID, Data)
    /// A model is no more: no list has it any longer.
    case deleteModel(ModelID)
    /// A list is made of these models, in this order.
    case list(String, [CachedElement])
}

/// A model of a list in a ``ModelCache``.
public enum CachedElement: Sendable {
    /// The one with an id, which is kept once for all lists.
    case model(ModelID)
    /// One without an id, as JSON.
    case data(Data)
}
