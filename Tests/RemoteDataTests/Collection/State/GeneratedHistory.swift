import Testing

/// A random history of a collection, made from a seed.
protocol GeneratedHistory {
    /// What has happened, a line each.
    var trail: [String] { get }
    /// What a reader of a failure needs to know besides.
    var summary: String { get }
    /// Runs the history; what is wrong in the end.
    mutating func fault() -> String?
}

/// Runs many histories and reports the shortest of those that fail.
func checkHistories<History: GeneratedHistory>(_ count: Int, _ make: (UInt64) -> History) async {
    var failures: [(trail: [String], report: String)] = []
    for seed in 0..<UInt64(count) where failures.count < 12 {
        // Other tests have a deadline.
        if seed.isMultiple(of: 20) { await Task.yield() }
        var history = make(seed)
        guard let fault = history.fault() else { continue }
        failures.append((history.trail, "seed \(seed): \(fault)\n\(history.summary)"))
    }
    guard let shortest = failures.min(by: { $0.trail.count < $1.trail.count }) else { return }
    let trail = shortest.trail.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
    Issue.record("\(failures.count) histories fail; \(shortest.report)\n\(trail)")
}
