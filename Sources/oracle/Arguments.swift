import RemoteDataTesting

/// What the program was asked to do.
struct Arguments: Sendable {
    struct Problem: Error { let message: String }

    static let usage = """
        Usage: oracle [--batches N] [--seed S] [--rows N] [--collections N] [--failures N] [--calm]
                      [--broken DEFECT]

          --batches N      How many batches of writes; 100 unless said otherwise.
          --seed S         What they, the queries and the faults follow from; 1 unless said otherwise. The writes of others
                           are the same each time; when they meet what else goes on is not, for the network is real.
          --rows N         About how many rows the table has; 200 unless said otherwise.
          --collections N  How many collections are compared with the server; 4 unless said otherwise.
          --failures N     How many failing batches to tell of before it ends; 1 unless said otherwise.
          --calm           Breaks nothing, to look at the writes alone.
          --broken DEFECT  Breaks something on purpose, to see that it is caught: \(names).
        """

    /// What can be broken in a table, whatever is behind it.
    private static let breakable: [Defect] = [.pagesByOffset, .noFence, .noTombstones, .changesLost]
    private static var names: String { breakable.map(\.rawValue).joined(separator: ", ") }

    var batches = 100
    var seed: UInt64 = 1
    var rows = 200
    var collections = 4
    var failures = 1
    var isCalm = false
    var defect: Defect?

    init(_ arguments: some Sequence<String>) throws(Problem) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            if name == "--calm" {
                isCalm = true
                continue
            }
            guard let value = rest.popFirst() else { throw Problem(message: "\(name) needs a value.") }
            switch name {
            case "--batches": batches = try Self.number(value, name, in: 1...Int.max)
            case "--seed": seed = try Self.number(value, name, in: 0...UInt64.max)
            case "--rows": rows = try Self.number(value, name, in: 1...100_000)
            case "--collections": collections = try Self.number(value, name, in: 1...100)
            case "--failures": failures = try Self.number(value, name, in: 1...Int.max)
            case "--broken":
                guard let defect = Self.breakable.first(where: { $0.rawValue == value }) else {
                    throw Problem(message: "--broken takes one of \(Self.names), not \(value).")
                }
                self.defect = defect
            default: throw Problem(message: "There is no \(name); see oracle --help.")
            }
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ text: String,
        _ name: String,
        in range: ClosedRange<Number>
    ) throws(Problem) -> Number {
        guard let number = Number(text), range.contains(number) else {
            let end = range.upperBound == .max ? "on" : "to \(range.upperBound)"
            throw Problem(message: "\(name) needs a number from \(range.lowerBound) \(end), not \(text).")
        }
        return number
    }
}
