import RemoteDataExecution

/// How a collection behaves; every value has a sensible default.
public struct CollectionOptions: Sendable {
    /// Rows asked for at a time at first; at least 1, at most what the table allows.
    ///
    /// From 100 on, pages grow while rows are read one after another: see ``largestPageSize``. Setting this sets that as well, so that all
    /// pages are of this size.
    public var pageSize = 100 { didSet { largestPageSize = pageSize } }
    /// The most rows that pages grow to; at least ``pageSize``, at most what the table allows.
    ///
    /// With each page that comes soon, within a sixteenth of the ``deadline``, those that follow are twice as large; after one that comes
    /// late or not at all they are half as large. The first page of an iteration has ``pageSize`` rows, and so have those read by
    /// position, and all with a ``cacheLimit``.
    public var largestPageSize = 1_000
    /// The most pages asked for ahead of an iteration; 8 at most are under way at a time.
    ///
    /// None is asked for in front of the second part of the first page, then one, and up to this many as long as the iteration has to wait for
    /// them; fewer again where rows are used more slowly than they come. Several are under way at a time only over a table
    /// that can be asked for a page before the one in front of it has come (``Capabilities/pagesBeyondKeys``).
    public var readAhead = 8
    /// How many rows stay here; nil, the default, for all that were read.
    ///
    /// When there are more, those used longest ago are forgotten, and fetched again when somebody reads them: a pass over any
    /// number of rows takes the memory of this many. Their number stays known, and so do the positions of all others. Never
    /// forgotten are the rows that an iteration stands at or has asked for ahead, and those inserted at a position, so that
    /// there may be some more than this. At least four pages, and one more where any are asked for ahead: of these no more than fit in with them.
    ///
    /// An iteration remembers up to 262,144 rows that it has returned and that were removed from memory. Where changes do not
    /// carry the former key of a row, one of a row before those ends the iteration with the error `gone`. Without live
    /// changes, a row that others move past the iteration is returned twice or left out.
    public var cacheLimit: Int?
    /// Whether the collection follows the table's changes as they happen.
    public var isLive = true
    /// How long a blocking call, an iteration or a subscript waits for the table before it gives up.
    public var deadline: Duration = .seconds(30)
    /// Whether the first row that is left out is named on standard error, while there is no
    /// ``RemoteDataCollection/errorHandler``.
    public var logsOmittedRows = true
    /// Where changes are applied and handlers are called.
    public var delivery: DeliveryQueue = .privateQueue
    /// Where what is told of rows and of models meets; nil, the default, for a collection by itself.
    ///
    /// What the table tells this collection is told to everyone who holds a model of that row in the space, if the elements are
    /// ``ConsistentModel``s, and to other collections there of the same table that do not hear of it themselves. What is said of models there is shown
    /// here: rows change, and move, come and go by the clause and the sort as if the table had told so, until it says something else of
    /// them. Nothing is written to the table by that, and no right to read is asked for. The text of a model's id is that of the row's id.
    public var space: ModelSpace?
    /// What time it is, and how to wait.
    public var clock: any Clock<Duration> = TimerClock()
    /// What it takes from the world around it.
    package var surroundings = Surroundings()

    /// The defaults.
    public init() {}
}
