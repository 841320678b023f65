import RemoteDataExecution

/// How a collection behaves; every value has a sensible default.
public struct CollectionOptions: Sendable {
    /// Rows asked for at a time; at least 1, at most what the table allows.
    public var pageSize = 100
    /// Pages asked for ahead of an iteration.
    public var readAhead = 1
    /// Whether the collection follows the table's changes as they happen.
    public var isLive = true
    /// How long a blocking call, an iteration or a subscript waits for the table before it gives up.
    public var deadline: Duration = .seconds(30)
    /// Where changes are applied and handlers are called.
    public var delivery: DeliveryQueue = .privateQueue
    /// What time it is, and how to wait.
    public var clock: any Clock<Duration> = TimerClock()
    /// What it takes from the world around it.
    package var surroundings = Surroundings()

    /// The defaults.
    public init() {}
}
