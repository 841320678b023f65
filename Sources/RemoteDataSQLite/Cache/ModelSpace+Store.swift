public import RemoteData

extension ModelSpace {
    /// Creates a space whose models and lists are kept in a store, for the next time.
    ///
    /// In two tables of it: `models`, each with the model in its column `model`, and `modelLists`.
    ///
    /// ```swift
    /// let space = try ModelSpace(store: try await LocalStore(path: "app.sqlite"))
    /// ```
    ///
    /// - Parameters:
    ///   - store: The store.
    ///   - delivery: Where all handlers and delegates are called, one after another; for an app the main queue.
    /// - Throws: ``RemoteDataError`` with code `tooLarge` when the store has too many tables.
    public convenience init(
        store: LocalStore,
        delivery: DeliveryQueue = .privateQueue
    ) throws(RemoteDataError) {
        let cache = TableModelCache(models: try store.table("models"), lists: try store.table("modelLists"))
        self.init(cache: cache, delivery: delivery)
    }
}
