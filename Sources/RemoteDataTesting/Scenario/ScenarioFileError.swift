/// A scenario file says something that scenario files do not.
public struct ScenarioFileError: Error, Hashable, CustomStringConvertible {
    /// What, where, and what could be said instead.
    public let description: String
}
