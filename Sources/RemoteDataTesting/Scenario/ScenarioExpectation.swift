/// What has to be so at a point of a scenario; what is not mentioned may be as it likes.
public struct ScenarioExpectation: Codable, Sendable, Hashable {
    /// The loaded rows in order: an id, or an object that names some of the row's columns; null for one that is not here.
    public var rows: [ScenarioValue]?
    /// How many rows the collection has.
    public var count: Int?
    /// How many of them are here.
    public var loaded: Int?
    /// What the collection told since the last expectation: for each a type, or an object with `type`, and maybe `ids`, `own`,
    /// `inserted`, `removed`, `updated`, `moved`, `missed`, `rows`.
    public var events: [ScenarioValue]?
    /// How it is with the delivery of changes: `off`, `connecting`, `catching up`,
    /// `live`, `interrupted`.
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
    /// The codes of everything that the error handler was told since the last expectation.
    public var errors: [String]?
    /// How it was with the delivery of changes since the last expectation, one after another.
    public var statuses: [String]?
    /// What was asked of the server since the last expectation, in order: for each a call, or an object that names some of
    /// `call`, `where`, `sort`, `offset`, `after`, `before`, `limit`, `id`, `kind`, `row`, `rows`, `since`.
    public var sent: [ScenarioValue]?
    /// The rows of the server's whole table by their ids: for each an id, or an object that names some of its columns.
    public var stored: [ScenarioValue]?
    /// Which rows are here: `isComplete`, `isVerified`, `gaps` and `intervals`, each of these with `positions`, `first`, `last`,
    /// `reachesStart`, `reachesEnd`, `isVerified`.
    public var coverage: ScenarioValue?
    /// Whether there are rows that are not here: true, false, or `unknown`.
    public var hasMore: ScenarioValue?
    /// The rows that are here and match a clause, by clause: `rows`, and whether they are `complete`.
    public var known: [String: ScenarioValue]?
    /// The rows of narrowed collections, by name.
    public var narrowed: [String: [ScenarioValue]]?
    /// What listeners have heard since the last expectation, by name, like ``events``.
    public var heard: [String: [ScenarioValue]]?
    /// How far promises are kept, by name: `holds`, `isLimited`, `doesNotHold`.
    public var guarantees: [String: String]?
    /// What the last comparison with the table has found: `missing`, `extra`, `differing`, `compared`, `isSettled`.
    public var audit: ScenarioValue?

    /// Expects nothing.
    public init() {}
}
