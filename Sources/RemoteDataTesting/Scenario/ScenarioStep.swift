/// A step of a scenario: something that happens, or something that is expected.
public struct ScenarioStep: Codable, Sendable, Hashable {
    /// What happens; nil when something is only expected.
    public var `do`: Action?
    /// The row to be written, or the columns to be changed.
    public var row: ScenarioValue?
    /// The id of the row.
    public var id: ScenarioValue?
    /// Which rows.
    public var `where`: String?
    /// A position.
    public var at: Int?
    /// The end of a range of positions that begins at `at`.
    public var to: Int?
    /// The name of an iteration.
    public var name: String?
    /// How many rows an iteration takes; all that are left unless said otherwise.
    public var take: Int?
    /// Milliseconds.
    public var ms: Int?
    /// Which calls a fault concerns: `count`, `page`, `row`, `commit`, `subscribe`; all but the last unless said otherwise.
    public var call: String?
    /// An HTTP status.
    public var status: Int?
    /// What a server asks to wait, in milliseconds.
    public var retryAfter: Int?
    /// How often a fault happens; once unless said otherwise.
    public var times: Int?
    /// Whether nobody is told, so that only silence tells.
    public var silently: Bool?
    /// Whether the change log survives a restart; it does unless said otherwise.
    public var keepsLog: Bool?
    /// Whether a store that begins anew has the epoch of the one before, as a backup put back by hand.
    public var keepsEpoch: Bool?
    /// The order of a narrowed collection.
    public var sort: String?
    /// What waits for a slow listener: `latest`, `buffer` or `coalescing`.
    public var buffering: String?
    /// How much of it.
    public var limit: Int?
    /// Which of the versions of the row that were read is changed, counted back from the last.
    ///
    /// The row as it is known unless said otherwise.
    public var version: Int?
    /// Whether an update names the version that was changed; it does not by default.
    public var saysVersion: Bool?
    /// What an answer holds.
    public var body: String?
    /// What has to be so once nothing is under way.
    public var expect: ScenarioExpectation?
    /// What has to be so at this very moment, whatever is under way.
    public var expectNow: ScenarioExpectation?

    /// Creates a step.
    public init(
        _ action: Action? = nil,
        row: ScenarioValue? = nil,
        id: ScenarioValue? = nil,
        where clause: String? = nil,
        at: Int? = nil,
        to: Int? = nil,
        name: String? = nil,
        take: Int? = nil,
        ms: Int? = nil,
        call: String? = nil,
        status: Int? = nil,
        retryAfter: Int? = nil,
        times: Int? = nil,
        silently: Bool? = nil,
        keepsLog: Bool? = nil,
        keepsEpoch: Bool? = nil,
        sort: String? = nil,
        buffering: String? = nil,
        limit: Int? = nil,
        version: Int? = nil,
        saysVersion: Bool? = nil,
        body: String? = nil,
        expect: ScenarioExpectation? = nil,
        expectNow: ScenarioExpectation? = nil
    ) {
        (self.do, self.row, self.id, self.where) = (action, row, id, clause)
        (self.at, self.to, self.name, self.take, self.ms) = (at, to, name, take, ms)
        (self.call, self.status, self.retryAfter, self.times) = (call, status, retryAfter, times)
        (self.silently, self.keepsLog, self.sort, self.body) = (silently, keepsLog, sort, body)
        (self.keepsEpoch, self.buffering, self.limit) = (keepsEpoch, buffering, limit)
        (self.version, self.saysVersion) = (version, saysVersion)
        (self.expect, self.expectNow) = (expect, expectNow)
    }
}
