import Foundation
import RemoteDataTesting

/// What the program was asked to do.
struct Arguments {
    struct Problem: Error { let message: String }

    static let usage = """
        Usage: simulate [--runs N] [--seed S] [--jobs N] [--collation NAME] [--out FILE] [--scenario FILE] [--failures N]
                        [--note FILE] [--of collections|writes]

          --runs N         How many scenarios to run; 1000 unless said otherwise.
          --seed S         The seed of the first, the others count on from it; 1 unless said otherwise.
          --jobs N         How many to run at a time; as many as there are processors unless said otherwise.
          --out FILE       Where a failing scenario is written, shrunk; failing-scenario.json unless said otherwise.
          --scenario FILE  Runs this scenario instead of generated ones.
          --failures N     How many failing seeds to name; only with 1, the default, the scenario is shrunk.
          --of NAME        What is simulated: collections, unless said otherwise, or writes: tables kept in step by several
                           devices. Of these a failing run is told step by step, and neither shrunk nor written.
          --collation NAME How all tables sort text, as scenario files have it; chance says unless one is named.
          --note FILE      Keeps the seed under way in a file, to know it if the program is killed; one runs at a time.
        """

    var runs = 1_000
    var seed: UInt64 = 1
    var output = "failing-scenario.json"
    var scenario: String?
    var note: String?
    var collation: String?
    var failures = 1
    var isOfWrites = false
    var jobs = ProcessInfo.processInfo.activeProcessorCount

    init(_ arguments: some Sequence<String>) throws(Problem) {
        var rest = Array(arguments)[...]
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Problem(message: "\(name) needs a value.") }
            switch name {
            case "--runs": runs = try Self.number(value, name, from: 1)
            case "--seed": seed = try Self.number(value, name)
            case "--out": output = value
            case "--scenario": scenario = value
            case "--note": note = value
            case "--of":
                guard ["collections", "writes"].contains(value) else {
                    throw Problem(
                        message: "There are simulations of collections and of writes, not of \(value)."
                    )
                }
                isOfWrites = value == "writes"
            case "--collation":
                guard Scenario.collations.contains(value) else {
                    let known = Scenario.collations.joined(separator: ", ")
                    throw Problem(message: "There is no collation \(value); there are \(known).")
                }
                collation = value
            case "--failures": failures = try Self.number(value, name, from: 1)
            case "--jobs": jobs = try Self.number(value, name, from: 1)
            default: throw Problem(message: "There is no \(name); see simulate --help.")
            }
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ text: String,
        _ name: String,
        from least: Number = 0
    ) throws(Problem) -> Number {
        guard let number = Number(text), number >= least else {
            throw Problem(message: "\(name) needs a number from \(least) on, not \(text).")
        }
        return number
    }
}
