import Foundation

if CommandLine.arguments.contains("--help") {
    print(Arguments.usage)
    exit(0)
}
do {
    let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()))
    let server = try LocalServer(rows: arguments.rows)
    defer { server.stop() }
    var report = Report()
    var memory: [String] = []
    if arguments.wants("memory") {
        memory = try MemoryBenchmarks(url: server.url, rows: arguments.rows).run()
    }
    if arguments.wants("iteration") {
        let benchmarks = IterationBenchmarks(url: server.url, rows: arguments.rows, rounds: arguments.rounds)
        try benchmarks.run(&report)
    }
    if arguments.isJSON {
        print(try report.json())
    } else {
        print(
            "\(arguments.rows) rows of 8 columns, \(ProcessInfo.processInfo.activeProcessorCount) processors,"
        )
        print(
            "median of \(arguments.rounds) rounds or more, ratios to the first line, [fastest–slowest] in ms\n"
        )
        print(report.text)
        for line in memory { print(line) }
    }
} catch let error as UsageError {
    FileHandle.standardError.write(Data("benchmarks: \(error.message)\n".utf8))
    exit(2)
} catch {
    FileHandle.standardError.write(Data("benchmarks: \(error)\n".utf8))
    exit(1)
}
