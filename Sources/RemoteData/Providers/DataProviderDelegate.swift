/// Somebody who is told when the model of a ``DataProvider`` has changed elsewhere.
public protocol DataProviderDelegate: AnyObject, Sendable {
    /// The model has changed, and not by the provider itself.
    ///
    /// Called where the space delivers.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - context: What was said with the change.
    func dataProviderHasUpdated<Model>(_ provider: DataProvider<Model>, context: ConsistencyContext)
}
