import Foundation

let words = Array(CommandLine.arguments.dropFirst())
if words.first == "help" || !Set(words).isDisjoint(with: ["--help", "-h"]) {
    print(Arguments.usage)
    exit(0)
}
do {
    let arguments = try Arguments(words)
    if arguments.isPageServer {
        try PageServer(rows: arguments.rows, delay: .milliseconds(arguments.delay)).run()
    }
    if let figures = arguments.memoryFigures {
        for line in try figures.measure(rows: arguments.rows) { print(line) }
        exit(0)
    }
    let thresholds = arguments.isChecked ? try Thresholds(path: Thresholds.path) : nil
    var report = Report()
    var memory: [String] = []
    let (rows, rounds) = (arguments.rows, arguments.rounds)
    if arguments.wants("pass") { memory += try PassBenchmarks(rows: rows * 100).run(&report) }
    if arguments.wants("memory") { memory += try MemoryFigures.memory.measured(rows: rows) }
    if ["iteration", "decoding"].contains(where: arguments.wants) {
        let server = try LocalServer.pages(rows: rows)
        defer { server.stop() }
        if arguments.wants("iteration") {
            try IterationBenchmarks(url: server.url, rows: rows, rounds: rounds).run(&report)
        }
        if arguments.wants("decoding") {
            try DecodingBenchmarks(url: server.url, rows: rows, rounds: rounds).run(&report)
        }
    }
    if arguments.wants("events") { try EventBenchmarks(rows: rows, rounds: rounds).run(&report) }
    if arguments.wants("frames") { try FrameBenchmarks(rows: rows, rounds: rounds).run(&report) }
    if arguments.wants("pages") { try PageBenchmarks(rows: rows).run(&report) }
    if arguments.wants("reconnect") { try ReconnectBenchmarks(rounds: rounds).run(&report) }
    if arguments.wants("store") { try StoreBenchmarks(rows: rows, rounds: rounds).run(&report) }
    if arguments.wants("providers") { try ProviderBenchmarks(rounds: rounds).run(&report) }
    if arguments.wants("consistency") {
        memory += try MemoryFigures.consistency.measured(rows: rows)
        memory += try ConsistencyBenchmarks(rounds: rounds).run(&report)
    }
    if arguments.wants("writes") {
        memory += try MemoryFigures.writes.measured(rows: rows)
        try WriteBenchmarks(rows: rows, rounds: rounds).run(&report)
    }
    if arguments.wants("server") { try ServerBenchmarks(rows: rows, rounds: rounds).run(&report) }
    if arguments.wants("start") { try StartBenchmarks(rows: rows, rounds: rounds).run(&report) }
    if arguments.wants("subscribers") {
        let writes = max(100, rounds * 100)
        try SubscriberBenchmarks(subscribers: 1_000, writes: writes, rounds: rounds).run(&report)
    }
    let machine = Machine(rows: rows, rounds: rounds)
    if arguments.isJSON {
        print(try report.json(machine))
    } else {
        print(machine.text + "\n")
        print(report.text)
        for line in memory { print(line) }
    }
    if let path = arguments.picture {
        try Chart(report, machine).svg.write(toFile: path, atomically: true, encoding: .utf8)
    }
    if let thresholds {
        guard let (lines, isMet) = thresholds.check(report, rows: rows) else {
            throw UsageError(
                message: "nothing was measured that \(Thresholds.path) is about: it says of how many rows"
            )
        }
        for line in lines { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
        if !isMet { exit(1) }
    }
} catch let error as UsageError {
    FileHandle.standardError.write(Data("benchmarks: \(error.message)\n".utf8))
    exit(2)
} catch {
    FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
    exit(1)
}
