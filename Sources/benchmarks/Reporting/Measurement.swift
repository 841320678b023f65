import Foundation

/// One thing measured: its rounds, in seconds.
struct Measurement {
    let name: String
    var seconds: [Double] = []
    var note = ""

    var median: Double { seconds.sorted()[seconds.count / 2] }
}

/// The processor time that this program has taken: unlike real time, the same however busy the machine is.
enum ProcessorTime {
    static var seconds: Double { Double(clock()) / Double(CLOCKS_PER_SEC) }
}

/// Runs contestants in turn, round by round, so that a change of the machine's speed hits all of them.
struct Contest {
    private var contestants: [(name: String, body: () throws -> String)] = []

    mutating func add(_ name: String, _ body: @escaping () throws -> String) {
        contestants.append((name, body))
    }

    func run(rounds: Int) throws -> [Measurement] {
        var results = contestants.map { Measurement(name: $0.name) }
        for round in 0...rounds {
            for (index, contestant) in contestants.enumerated() {
                let clock = ContinuousClock()
                let start = clock.now
                let note = try contestant.body()
                let duration = start.duration(to: clock.now)
                // The first round warms up.
                if round > 0 { results[index].seconds.append(duration / .seconds(1)) }
                results[index].note = note
                // What one has left to be done after its end is not to fall to the next one.
                Thread.sleep(forTimeInterval: 0.02)
            }
        }
        return results
    }
}
