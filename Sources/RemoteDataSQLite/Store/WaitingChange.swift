import RemoteData

/// A change of any kind that waits for its turn.
struct WaitingChange: Sendable {
    let make: @Sendable (inout StoreTransaction) throws(RemoteDataError) -> Void
    /// Called once, when it is committed or has failed.
    let answer: @Sendable (RemoteDataError?) -> Void
}
