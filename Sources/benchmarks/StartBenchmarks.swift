import Foundation

/// Programs from when they are started until their first row has been printed.
struct StartBenchmarks {
    let rows: Int
    let rounds: Int

    func run(_ report: inout Report) throws {
        let server = try LocalServer(rows: rows)
        defer { server.stop() }
        let page = "\(server.url)/api/data/people?pageSize=1"
        let words = URL(filePath: "/usr/bin/env")
        let contestants: [(name: String, program: URL, arguments: [String])] = [
            (
                "live-table list --limit 1", try LocalServer.program("live-table"),
                ["\(server.url)/people", "list", "--limit", "1"]
            ), ("curl, the same page", words, ["curl", "-s", page]),
            ("echo", words, ["echo", Person(0).objectId]),
        ]
        var results = contestants.map { Measurement(name: $0.name) }
        for round in 0...(rounds * 4) {
            for (index, contestant) in contestants.enumerated() {
                let seconds = try seconds(contestant.program, contestant.arguments)
                // The first round warms up.
                if round > 0 { results[index].seconds.append(seconds) }
            }
        }
        report.add(
            "a program from its start to the end of its output (target: 30 ms more than curl)",
            results
        )
    }

    /// How long a program takes that prints a person; waiting for its end is left out, which Foundation does in steps.
    private func seconds(_ program: URL, _ arguments: [String]) throws -> Double {
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        let output = Pipe()
        process.standardOutput = output
        let start = ContinuousClock.now
        try process.run()
        let text = try output.fileHandleForReading.readToEnd() ?? Data()
        let seconds = start.duration(to: .now) / .seconds(1)
        process.waitUntilExit()
        guard process.terminationStatus == 0,
            String(decoding: text, as: UTF8.self).contains(Person(0).objectId)
        else { throw UsageError(message: "\(program.lastPathComponent) printed no person") }
        return seconds
    }
}
