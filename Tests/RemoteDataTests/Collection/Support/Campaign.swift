import Foundation

/// How long generated tests search: a slice of a few seconds, or as long as the environment asks for.
///
/// `TEST_CAMPAIGN=100 Tests/run --filter Property` tries a hundred times as much.
enum Campaign {
    private static let factor =
        ProcessInfo.processInfo.environment["TEST_CAMPAIGN"].flatMap { Double($0) } ?? 1

    /// How much is tried.
    static func size(quick: Int) -> Int { max(1, Int(Double(quick) * factor)) }
}
