import RemoteData

/// A delegate that notes what it is told, and what was said with it.
final class NotingDelegate: DataProviderDelegate, CollectionDataProviderDelegate {
    private let order: Heard<String>

    init(_ order: Heard<String>) { self.order = order }

    func dataProviderHasUpdated<Model>(_ provider: DataProvider<Model>, context: ConsistencyContext) {
        order.note("model \(context[Int.self] ?? 0)")
    }

    func collectionDataProvider<Model>(
        _ provider: CollectionDataProvider<Model>,
        hasUpdated change: ListChange,
        context: ConsistencyContext
    ) { order.note("list \(context[Int.self] ?? 0)") }
}
