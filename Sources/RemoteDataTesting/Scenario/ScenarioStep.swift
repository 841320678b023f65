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
    /// Which calls a fault concerns: `count`, `page`, `row`, `commit`; all unless said otherwise.
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
    /// What has to be so now, once nothing is under way.
    public var expect: ScenarioExpectation?

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
        expect: ScenarioExpectation? = nil
    ) {
        (self.do, self.row, self.id, self.where) = (action, row, id, clause)
        (self.at, self.to, self.name, self.take, self.ms) = (at, to, name, take, ms)
        (self.call, self.status, self.retryAfter, self.times) = (call, status, retryAfter, times)
        (self.silently, self.keepsLog, self.expect) = (silently, keepsLog, expect)
    }

    /// What a step does, in the words of scenario files.
    public struct Action: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
        /// The word.
        public let rawValue: String
        /// Takes any word; the runner says which it does not know.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The word.
        public var description: String { rawValue }
    }
}

// What others do.
extension ScenarioStep.Action {
    /// Somebody else adds `row`.
    public static let create = Self(rawValue: "create")
    /// Somebody else changes the columns in `row` of the row `id`.
    public static let update = Self(rawValue: "update")
    /// Somebody else changes the columns in `row` of the rows that match `where`.
    public static let updateAll = Self(rawValue: "updateAll")
    /// Somebody else puts `row` in place of the one with its id, or adds it.
    public static let upsert = Self(rawValue: "upsert")
    /// Somebody else removes the row `id`.
    public static let delete = Self(rawValue: "delete")
    /// Somebody else removes the rows that match `where`.
    public static let deleteAll = Self(rawValue: "deleteAll")
}

// What the collection is asked to do; nothing of it is waited for.
extension ScenarioStep.Action {
    /// Adds `row`.
    public static let add = Self(rawValue: "add")
    /// Adds `row` at the position `at`.
    public static let insert = Self(rawValue: "insert")
    /// Changes the columns in `row` of the row `id`.
    public static let change = Self(rawValue: "change")
    /// Removes the row `id`.
    public static let remove = Self(rawValue: "remove")
    /// Removes the row at the position `at`.
    public static let removeAt = Self(rawValue: "removeAt")
    /// Removes the collection's rows that match `where`.
    public static let removeAll = Self(rawValue: "removeAll")
    /// Begins the iteration `name`, or goes on with it, and takes rows.
    public static let iterate = Self(rawValue: "iterate")
    /// Forgets the iteration `name`.
    public static let abandon = Self(rawValue: "abandon")
    /// Reads the row at the position `at`.
    public static let read = Self(rawValue: "read")
    /// Loads the rows from `at` up to `to`.
    public static let prefetch = Self(rawValue: "prefetch")
    /// Loads every row.
    public static let populate = Self(rawValue: "populate")
    /// Reads everything anew.
    public static let refresh = Self(rawValue: "refresh")
}

// Time and faults.
extension ScenarioStep.Action {
    /// Lets `ms` milliseconds go by.
    public static let wait = Self(rawValue: "wait")
    /// Waits until nothing is under way, at most two minutes.
    public static let settle = Self(rawValue: "settle")
    /// Requests are answered with `status`.
    public static let fail = Self(rawValue: "fail")
    /// Requests are lost on their way.
    public static let loseRequest = Self(rawValue: "loseRequest")
    /// Requests are carried out, and their answers are lost.
    public static let loseReply = Self(rawValue: "loseReply")
    /// Answers come without the second half of their body.
    public static let truncate = Self(rawValue: "truncate")
    /// Requests take `ms` milliseconds longer.
    public static let delay = Self(rawValue: "delay")
    /// The connection for changes breaks.
    public static let disconnect = Self(rawValue: "disconnect")
    /// Nothing gets through until `online`.
    public static let offline = Self(rawValue: "offline")
    /// Everything gets through again.
    public static let online = Self(rawValue: "online")
    /// The next frames are lost.
    public static let dropFrames = Self(rawValue: "dropFrames")
    /// The next frames come twice.
    public static let duplicateFrames = Self(rawValue: "duplicateFrames")
    /// The next frames are overtaken by others.
    public static let reorderFrames = Self(rawValue: "reorderFrames")
    /// The next frames cannot be read.
    public static let malformFrames = Self(rawValue: "malformFrames")
    /// Frames stand still until `releaseFrames`.
    public static let holdFrames = Self(rawValue: "holdFrames")
    /// Frames go on.
    public static let releaseFrames = Self(rawValue: "releaseFrames")
    /// The server tells its subscribers to look at everything again.
    public static let resetSubscriptions = Self(rawValue: "resetSubscriptions")
    /// The server stops and starts again; its rows stay.
    public static let restart = Self(rawValue: "restart")
    /// The client's credentials are refused until it gets new ones.
    public static let expireToken = Self(rawValue: "expireToken")
    /// The server's clock is `ms` milliseconds ahead of the client's from now on.
    public static let skewClock = Self(rawValue: "skewClock")
    /// The delivery queue does not run for `ms` milliseconds.
    public static let stallDelivery = Self(rawValue: "stallDelivery")
    /// Ends all faults.
    public static let heal = Self(rawValue: "heal")
}
