/// What has to be so at a point of a scenario; what is not mentioned may be as it likes.
public struct ScenarioExpectation: Codable, Sendable, Hashable {
    /// The loaded rows in order: an id, or an object that names some of the row's columns; null for one that is not here.
    public var rows: [ScenarioValue]?
    /// How many rows the collection has.
    public var count: Int?
    /// How many of them are here.
    public var loaded: Int?
    /// What the collection told since the last expectation: for each a type, or an object with `type`, and maybe `ids`, `own`,
    /// `inserted`, `removed`, `updated`.
    public var events: [ScenarioValue]?
    /// How it is with the delivery of changes: `off`, `connecting`, `live`, `interrupted`.
    public var status: String?
    /// The code of what failed last since the last expectation, `none` when nothing did.
    public var error: String?
    /// How many requests of each kind were sent since the last expectation.
    public var requests: [String: Int]?
    /// The ids that iterations have taken so far, by name.
    public var taken: [String: [ScenarioValue]]?
    /// Which iterations have come to their end.
    public var ended: [String]?
    /// Whether every loaded row is what the server has at its position, and the count is right.
    public var right: Bool?

    /// Expects nothing.
    public init() {}
}
