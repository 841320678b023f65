/// What the program was asked to do.
struct Arguments {
    struct Problem: Error { let message: String }

    enum Action {
        case help
        case campaign(kills: Int, seed: UInt64)
        /// What the campaign starts to kill.
        case client(file: String, url: String, name: String, seed: UInt64?)
    }

    static let usage = """
        Usage: sync-crash [--kills N] [--seed S]

        Starts a table-server and two clients that write to tables kept in step with it, and kills one of the three (kill -9)
        at a moment of chance, again and again. Whenever a client starts, it has to have all it said it had done; in the end
        the server has to have every write once, and both clients what the server has.

          --kills N  How many kills; 100 unless said otherwise.
          --seed S   What is written, and who is killed behind which write, follow from it; 1 unless said otherwise.
        """

    var action = Action.help

    init(_ words: some Sequence<String>) throws(Problem) {
        var rest = Array(words)[...]
        var (kills, seed) = (100, UInt64(1))
        while let word = rest.popFirst() {
            switch word {
            case "--help", "-h", "help": return
            case "--kills": kills = try Self.number(rest.popFirst(), word)
            case "--seed": seed = try Self.number(rest.popFirst(), word)
            case "--client":
                let words = Array(rest)
                guard (3...4).contains(words.count) else {
                    throw Problem(message: "\(word) needs a file, a URL, a name and, to write, a seed")
                }
                let seed = words.count > 3 ? try Self.number(words[3], word) as UInt64 : nil
                action = .client(file: words[0], url: words[1], name: words[2], seed: seed)
                return
            default: throw Problem(message: "there is no \(word)")
            }
        }
        action = .campaign(kills: kills, seed: seed)
    }

    private static func number<Number: FixedWidthInteger>(
        _ text: String?,
        _ name: String
    ) throws(Problem) -> Number {
        guard let text, let number = Number(text) else { throw Problem(message: "\(name) needs a number") }
        return number
    }
}
