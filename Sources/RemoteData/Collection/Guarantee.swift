/// Something a collection promises, and whether it can keep it over its table.
public struct Guarantee: Sendable, Hashable {
    /// How far a promise is kept.
    public enum Strength: Sendable, Hashable, CaseIterable {
        /// As it is said.
        case holds
        /// But for what the reason says.
        case isLimited
        /// Not at all, or only by doing what the reason says.
        case doesNotHold
    }

    /// The promise, in a sentence.
    public let promise: String
    /// Whether it holds.
    public let strength: Strength
    /// Why, or where it ends, in sentences; each is a fact of its own.
    public let reasons: [String]
}

extension Guarantee: CustomStringConvertible {
    /// The promise, whether it holds, and why.
    public var description: String {
        let word =
            switch strength {
            case .holds: "holds"
            case .isLimited: "holds with limits"
            case .doesNotHold: "does not hold"
            }
        return ([promise + " — " + word] + reasons.map { "  " + $0 }).joined(separator: "\n")
    }
}
