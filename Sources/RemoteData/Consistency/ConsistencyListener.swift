/// Somebody who holds a model and wants it to be kept the same as everywhere else.
///
/// A ``ConsistencyManager`` holds it weakly. All methods are called where the manager delivers. For closures there is
/// ``ConsistencySubscription``, which needs no type of one's own, and holds the model itself.
public protocol ConsistencyListener: AnyObject, Sendable {
    /// The model that it holds now; nil for none.
    func currentModel() -> (any ConsistentModel)?

    /// The model has changed elsewhere: this is how it is now.
    ///
    /// It is listened to already. The manager may be called from here.
    ///
    /// - Parameters:
    ///   - model: The model; nil when it was deleted.
    ///   - updates: Which models that it is made of have changed, and which were deleted.
    ///   - context: What was said with the change; of several changes at once, with the last.
    func modelUpdated(_ model: (any ConsistentModel)?, updates: ModelUpdates, context: ConsistencyContext)
}
