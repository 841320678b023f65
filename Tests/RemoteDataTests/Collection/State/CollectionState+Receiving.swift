@testable import RemoteData

extension CollectionState {
    /// Takes a page as it comes.
    mutating func receive(
        _ page: Page,
        for fetch: Fetch,
        mayMove: Bool = true
    ) throws(RemoteDataError) -> Reception {
        try receive(Answer(page, to: fetch.request), for: fetch, mayMove: mayMove)
    }
}
