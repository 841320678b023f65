extension PageRequest {
    /// The most rows to send of a table with a page limit.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRequest` when the request makes no sense: no rows
    ///   wanted, a negative offset, a key of another order.
    package func checkedLimit(maximum: Int) throws(RemoteDataError) -> Int {
        guard limit > 0 else {
            throw RemoteDataError(.invalidRequest, "A page holds at least one row, not \(limit).")
        }
        let (offset, key): (Int, Key?) =
            switch start {
            case .offset(let offset): (offset, nil)
            case .after(let key), .before(let key): (0, key)
            case .beyond(let key, let offset): (offset, key)
            }
        guard offset >= 0 else {
            throw RemoteDataError(
                .invalidRequest,
                "A page starts at an offset of 0 or more, not \(offset)."
            )
        }
        if let key, key.values.count != query.sort.count {
            throw RemoteDataError(
                .invalidRequest,
                "The key has \(key.values.count) values for a sort order of \(query.sort.count) terms."
            )
        }
        return Swift.min(limit, maximum)
    }
}

/// Checks an idempotency key: 1 to 200 bytes.
///
/// - Throws: ``RemoteDataError`` with code `invalidRequest`.
package func checkIdempotencyKey(_ key: String?) throws(RemoteDataError) {
    guard let key, !(1...200).contains(key.utf8.count) else { return }
    throw RemoteDataError(.invalidRequest, "An idempotency key has 1 to 200 bytes, not \(key.utf8.count).")
}
