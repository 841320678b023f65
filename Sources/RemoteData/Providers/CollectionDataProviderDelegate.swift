/// Somebody who is told when the list of a ``CollectionDataProvider`` has changed elsewhere.
public protocol CollectionDataProviderDelegate: AnyObject, Sendable {
    /// The list has changed, and not by the provider itself.
    ///
    /// Called where the space delivers; the provider's `data` is as it is after this change, or a later one that will be told.
    ///
    /// - Parameters:
    ///   - provider: The provider.
    ///   - change: What to do with the list as it was told last, to have it as it is.
    ///   - context: What was said with the change.
    func collectionDataProvider<Model>(
        _ provider: CollectionDataProvider<Model>,
        hasUpdated change: ListChange,
        context: ConsistencyContext
    )
}
