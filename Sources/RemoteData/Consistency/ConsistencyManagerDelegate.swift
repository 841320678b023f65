/// Somebody who is told what a ``ConsistencyManager`` cannot do, and may watch what it does.
public protocol ConsistencyManagerDelegate: AnyObject, Sendable {
    /// Something was not done: a model without an id cannot be deleted, a model that is a part of itself not be held.
    ///
    /// Called where the manager delivers.
    func consistencyManager(_ manager: ConsistencyManager, failedWith error: RemoteDataError)

    /// Those who hold a model are about to be told of another in its place; nil when it was deleted.
    ///
    /// For looking into what goes on. Called where the manager delivers; nothing unless said otherwise.
    func consistencyManager(
        _ manager: ConsistencyManager,
        willReplace old: any ConsistentModel,
        with new: (any ConsistentModel)?,
        context: ConsistencyContext
    )
}

extension ConsistencyManagerDelegate {
    /// Nothing.
    public func consistencyManager(
        _ manager: ConsistencyManager,
        willReplace old: any ConsistentModel,
        with new: (any ConsistentModel)?,
        context: ConsistencyContext
    ) {}
}
