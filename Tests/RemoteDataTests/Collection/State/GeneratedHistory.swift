import RemoteDataTesting
import Testing

/// A random history of a collection, made from a seed.
protocol GeneratedHistory: SendableMetatype {
    /// What has happened, a line each.
    var trail: [String] { get }
    /// What a reader of a failure needs to know besides.
    var summary: String { get }
    /// Runs the history; what is wrong in the end.
    mutating func fault() -> String?
}

/// Runs many histories and reports the shortest of those that fail.
func checkHistories<History: GeneratedHistory>(
    _ count: Int,
    _ make: @escaping @Sendable (UInt64) -> History
) async {
    let failures = await Campaign.faults(in: count, atMost: 12) { number in
        var history = make(UInt64(number))
        return history.fault().map {
            (trail: history.trail, report: "seed \(number): \($0)\n\(history.summary)")
        }
    }
    guard let shortest = failures.map(\.fault).min(by: { $0.trail.count < $1.trail.count }) else { return }
    let trail = shortest.trail.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
    Issue.record("\(failures.count) histories fail; \(shortest.report)\n\(trail)")
}
