/// What a collection calls, on its delivery queue, one call at a time.
struct CollectionHandlers: Sendable {
    var requestStarted: (@Sendable () -> Void)?
    var requestCompleted: (@Sendable () -> Void)?
    var error: (@Sendable (RemoteDataError) -> Void)?
    var dataChanged: (@Sendable (EventType) -> Void)?

    /// Whether one of them is called when requests begin or end.
    var areOfRequests: Bool { requestStarted != nil || requestCompleted != nil }
}

/// Something to be told, in order.
enum CollectionNotice: Sendable {
    case requestStarted
    case requestCompleted
    case failed(RemoteDataError)
    case changed(Applied)

    /// Whether it tells that a request begins or ends.
    var isOfRequests: Bool {
        switch self {
        case .requestStarted, .requestCompleted: true
        case .failed, .changed: false
        }
    }
}
