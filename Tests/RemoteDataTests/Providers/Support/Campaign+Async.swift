import Foundation
import RemoteDataTesting

extension Campaign {
    /// What is wrong with some of a number of generated cases that wait for something, which are tried on every core.
    ///
    /// - Returns: The first failure that each core has found, by number.
    static func faults(
        in count: Int,
        _ fault: @escaping @Sendable (Int) async -> String?
    ) async -> [(number: Int, fault: String)] {
        let cores = max(1, ProcessInfo.processInfo.activeProcessorCount)
        return await withTaskGroup(of: (Int, String)?.self) { group in
            for core in 0..<cores {
                group.addTask {
                    for number in stride(from: core, to: count, by: cores) {
                        if let fault = await fault(number) { return (number, fault) }
                    }
                    return nil
                }
            }
            var found: [(number: Int, fault: String)] = []
            for await one in group { if let one { found.append((one.0, one.1)) } }
            return found.sorted { $0.number < $1.number }
        }
    }
}
