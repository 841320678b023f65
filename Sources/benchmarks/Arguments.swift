/// What the command line asks for.
struct Arguments {
    var rows = 100_000
    var rounds = 5
    var groups: Set<String> = []
    var isJSON = false

    static let usage = """
        usage: benchmarks [--quick] [--rows N] [--rounds N] [--json] [iteration] [memory]

        Measures the library beside what one would otherwise write, in one run, against a table-server on loopback.
        Each figure is the median of the rounds; the rivals take turns within a round.
        """

    init(_ words: [String]) throws(UsageError) {
        var words = words[...]
        while let word = words.popFirst() {
            switch word {
            case "--quick": (rows, rounds) = (10_000, 3)
            case "--rows": rows = try Self.number(words.popFirst(), for: word)
            case "--rounds": rounds = try Self.number(words.popFirst(), for: word)
            case "--json": isJSON = true
            case "iteration", "memory": groups.insert(word)
            default: throw UsageError(message: "\(word) is not something benchmarks knows; see --help")
            }
        }
    }

    func wants(_ group: String) -> Bool { groups.isEmpty || groups.contains(group) }

    private static func number(_ word: String?, for option: String) throws(UsageError) -> Int {
        guard let word, let number = Int(word), number > 0 else {
            throw UsageError(message: "\(option) needs a number above zero")
        }
        return number
    }
}

/// A command line that asks for something impossible.
struct UsageError: Error {
    let message: String
}
