/// What the command line asks for.
struct Arguments {
    var rows = 100_000
    var rounds = 5
    var groups: Set<String> = []
    var isJSON = false
    /// Whether the ratios are compared with ``Thresholds``.
    var isChecked = false
    /// Where a picture of the figures goes.
    var picture: String?
    /// Whether to be a ``PageServer``, which a measurement starts; and how many milliseconds each of its answers takes.
    var isPageServer = false
    var delay = 0

    /// Which figures of memory to measure in this process, which another one asks for.
    var memoryFigures: MemoryFigures?

    /// The word for that.
    static let pageServer = "page-server"

    private static let groups: Set = [
        "iteration", "memory", "pass", "events", "pages", "reconnect", "store", "writes", "consistency",
        "providers", "decoding", "server", "frames", "subscribers", "start",
    ]

    static let usage = """
        usage: benchmarks [--quick] [--rows N] [--rounds N] [--json] [--svg FILE] [--check] [GROUP ...]

        Measures the library beside what one would otherwise write, in one run. The groups, all of them if none is named:
          iteration   reading a table from a server on loopback, and from one far away, and again from memory
          decoding    making elements of rows that are here
          memory      what a loaded row takes
          pass        a hundred times as many rows as asked for, of which few stay
          events      changes of others, one by one and in bursts, among the rows and among ten times as many
          frames      the same over a WebSocket, in bursts and one by one
          pages       a page that finds its place
          reconnect   rows that are right again after changes were missed
          store       a local store: rows kept, iterated, asked for and pinned
          writes      durable writes that are sent later
          server      table-server: pages beside a server that sends the same bytes from memory, and writes of 64 clients
          subscribers a thousand of them, who hear of every write of table-server
          start       a program that prints one row, from its start on
          consistency one model that many hold, in trees of 51
          providers   a list in a provider, of which one row changes

        Each figure is the median of the rounds; the rivals take turns within a round. --check compares the ratios with those in
        \(Thresholds.path) and ends with status 1 where one is worse; --svg draws the figures.
        """

    init(_ words: [String]) throws(UsageError) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--quick": (rows, rounds) = (10_000, 3)
            case "--rows": rows = try Self.number(words.popFirst(), for: word)
            case "--rounds": rounds = try Self.number(words.popFirst(), for: word)
            case "--json": isJSON = true
            case "--check": isChecked = true
            case "--svg":
                guard let path = words.popFirst() else { throw UsageError(message: "--svg needs a file") }
                picture = path
            case Self.pageServer: isPageServer = true
            case MemoryFigures.word:
                memoryFigures = words.popFirst().flatMap { MemoryFigures(rawValue: $0) }
                guard memoryFigures != nil else { throw UsageError(message: "\(word) needs a group") }
            case "--delay" where isPageServer: delay = try Self.number(words.popFirst(), for: word, least: 0)
            case _ where Self.groups.contains(word): groups.insert(word)
            default: throw UsageError(message: "\(word) is not something benchmarks knows; see --help")
            }
        }
    }

    func wants(_ group: String) -> Bool { groups.isEmpty || groups.contains(group) }

    private static func number(
        _ word: String?,
        for option: String,
        least: Int = 1
    ) throws(UsageError) -> Int {
        guard let word, let number = Int(word), number >= least else {
            throw UsageError(message: "\(option) needs a number that is not below \(least)")
        }
        return number
    }
}

/// A command line that asks for something impossible.
struct UsageError: Error {
    let message: String
}
