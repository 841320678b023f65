/// What a collection calls, on its delivery queue, one call at a time.
struct CollectionHandlers: Sendable {
    var requestStarted: (@Sendable () -> Void)?
    var requestCompleted: (@Sendable () -> Void)?
    var error: (@Sendable (RemoteDataError) -> Void)?
    var dataChanged: (@Sendable (EventType) -> Void)?
}

/// Something to be told, in order.
enum CollectionNotice: Sendable {
    case requestStarted
    case requestCompleted
    case failed(RemoteDataError)
    case changed(Applied)
    case status(LiveStatus)
}
