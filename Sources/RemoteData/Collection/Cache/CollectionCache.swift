/// Keeps what collections have read, so that the next launch shows it at once, offline too.
///
/// A `LocalStore` of `RemoteDataSQLite` is one; it is given to a collection when it is opened.
public protocol CollectionCache: Sendable {}

/// What a collection asks of its cache.
package protocol QueryCache: CollectionCache {
    /// What is kept of a query; nil when there is nothing.
    ///
    /// - Throws: ``RemoteDataError`` with code `storage`.
    func restore(_ link: CacheLink) async throws(RemoteDataError) -> KeptQuery?

    /// The rows of a request that are kept, as far as they lie in one stretch that is known whole.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - link: Whose rows they are.
    ///   - isStale: Whether to look among those that changes may have been missed for.
    ///   - isAwaited: Whether to look after all has been written that has been noted; otherwise that is only waited for where something
    ///     is found, which it may have changed.
    /// - Returns: The page; nil when the first row of it is not known.
    /// - Throws: ``RemoteDataError`` with code `storage`.
    func page(
        _ request: PageRequest,
        _ link: CacheLink,
        stale isStale: Bool,
        awaiting isAwaited: Bool
    ) async throws(RemoteDataError) -> Page?

    /// Waits until all is written, or has failed to be, that a link has noted so far.
    ///
    /// - Throws: ``RemoteDataError`` with code `storage` where nothing is written any more.
    func written(_ link: CacheLink) async throws(RemoteDataError)

    /// Has what a link has noted be written soon: ``CacheLink/take()``.
    ///
    /// Never blocks.
    func schedule(_ link: CacheLink)
}

/// What was kept of a query.
package struct KeptQuery: Sendable {
    /// How many rows it had, at the revision up to which changes were followed.
    package let count: Count
    /// Whether all that is kept is of that very revision.
    package let isOfOneMoment: Bool
    /// The rows of ``CacheLink/firstRequest``, as far as they are known whole.
    package var firstPage: Page?
    /// The keys of all that is kept in an order that cannot be reproduced, with their places, in that order.
    package var placedKeys: [Key] = []

    package init(count: Count, isOfOneMoment: Bool) {
        self.count = count
        self.isOfOneMoment = isOfOneMoment
    }
}

/// What a cache is told.
package enum CacheNote: Sendable {
    /// Rows that are all there are in a stretch of the query's order, as of a revision.
    case stretch(KeyInterval, [Row], Revision?)
    /// The same, but changes may have been missed since.
    case staleStretch(KeyInterval, [Row], Revision?)
    /// Rows as of a revision, wherever they are.
    case rows([Row], Revision?)
    /// A change of the table, in its turn.
    case change(Change)
    /// A change that an own write made, whether or not those before it have come.
    case ownChange(Change)
    /// A change that is no news: of rows that are not kept it makes none.
    case lateChange(Change)
    /// Every change up to a revision has been noted.
    case reached(Revision)
    /// Changes may have been missed: all that is known may be out of date.
    case lost
    /// Nothing is known any more, and no row has a place in an order that cannot be reproduced.
    case forgotten
    /// In an order that cannot be reproduced only rows of these stretches still have their places; of others
    /// nothing is known.
    case placed([KeyInterval])
    /// These stretches are right as of a revision, and nothing else is known to be.
    case verified([KeyInterval], Revision?)
}

/// What a link has noted.
package struct CacheBatch: Sendable {
    /// In the order it happened.
    package let notes: [CacheNote]
    /// How many rows the query has; nil when nobody can tell any more.
    package let number: CacheLink.Number?
}
