/// What has become of a model that a ``ConsistencySubscription`` holds.
public struct ConsistencyChange<Model: ConsistentModel>: Sendable {
    /// The model; nil when it was deleted.
    public let model: Model?
    /// Which models that it is made of have changed, and which were deleted.
    public let updates: ModelUpdates
    /// What was said with the change; of several changes at once, with the last.
    public let context: ConsistencyContext

    @inlinable init(model: Model?, updates: ModelUpdates, context: ConsistencyContext) {
        (self.model, self.updates, self.context) = (model, updates, context)
    }
}
