import Foundation

/// How long generated tests search: a slice of a few seconds, or as long as the environment asks for.
///
/// `TEST_CAMPAIGN=100 Tests/run --filter Property` tries a hundred times as much.
package enum Campaign {
    private static let factor =
        ProcessInfo.processInfo.environment["TEST_CAMPAIGN"].flatMap { Double($0) } ?? 1

    /// How much is tried.
    package static func size(quick: Int) -> Int { max(1, Int(Double(quick) * factor)) }

    /// What is wrong with some of a number of generated cases, which are tried on every core.
    ///
    /// - Parameters:
    ///   - count: How many cases there are.
    ///   - limit: After how many failures no others are looked for.
    ///   - fault: What is wrong with a case, which its number generates.
    /// - Returns: The failures by number.
    package static func faults<Fault: Sendable>(
        in count: Int,
        atMost limit: Int = 1,
        _ fault: @escaping @Sendable (Int) -> Fault?
    ) async -> [(number: Int, fault: Fault)] {
        let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
        let found = await withTaskGroup(of: [(number: Int, fault: Fault)].self) { group in
            for core in 0..<cores {
                group.addTask {
                    var found: [(number: Int, fault: Fault)] = []
                    for number in stride(from: core, to: count, by: cores) where found.count < limit {
                        if let fault = fault(number) { found.append((number, fault)) }
                    }
                    return found
                }
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        return Array(found.sorted { $0.number < $1.number }.prefix(limit))
    }
}
