/// What the program was asked to do.
struct Arguments: Equatable {
    struct Problem: Error { let message: String }

    enum Action: Equatable {
        case help
        case campaign(kills: Int, seed: UInt64)
        /// What the campaign starts to kill.
        case victim(path: String, seed: UInt64, first: Int)
        case migrate(path: String)
        /// One of several that write to a file at once.
        case write(path: String, name: String, count: Int)
    }

    static let usage = """
        Usage: store-crash [--kills N] [--seed S]

        Starts a program that pins, writes and caches in a local store, kills it at a moment of chance, and checks that the
        file is whole and nothing is missing that was said to be done; then starts it again on the same file. A tenth of
        the kills hit a program that brings a file of the first version up to date.

          --kills N  How many kills; 200 unless said otherwise.
          --seed S   What is done, and when it is interrupted, follow from it; 1 unless said otherwise.
        """

    var action = Action.help

    init(_ words: some Sequence<String>) throws(Problem) {
        var rest = Array(words)[...]
        var (kills, seed) = (200, UInt64(1))
        var victim: (path: String, first: Int)?
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h", "help": return
            case "--kills": kills = try Self.number(rest.popFirst(), word)
            case "--seed": seed = try Self.number(rest.popFirst(), word)
            case "--victim":
                guard let path = rest.popFirst() else { throw Problem(message: "\(word) needs a file") }
                victim = (path, try Self.number(rest.popFirst(), word))
            case "--migrate":
                guard let path = rest.popFirst() else { throw Problem(message: "\(word) needs a file") }
                action = .migrate(path: path)
                return
            case "--write":
                guard let path = rest.popFirst(), let name = rest.popFirst() else {
                    throw Problem(message: "\(word) needs a file and a name")
                }
                action = .write(path: path, name: name, count: try Self.number(rest.popFirst(), word))
                return
            default: throw Problem(message: "there is no \(word)")
            }
        }
        action = .campaign(kills: kills, seed: seed)
        if let victim { action = .victim(path: victim.path, seed: seed, first: victim.first) }
    }

    private static func number<Number: FixedWidthInteger>(
        _ text: String?,
        _ name: String
    ) throws(Problem) -> Number {
        guard let text, let number = Number(text) else { throw Problem(message: "\(name) needs a number") }
        return number
    }
}
