extension ScenarioStep {
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
    /// Opens the collection, where it was not opened before the first step.
    public static let open = Self(rawValue: "open")
    /// Adds `row`.
    public static let add = Self(rawValue: "add")
    /// Adds `row` at the position `at`.
    public static let insert = Self(rawValue: "insert")
    /// Changes the columns in `row` of the row `id`, of which `version` says the version.
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
    /// Opens the collection `name` of those rows that match `where` as well, in the order `sort`.
    public static let narrow = Self(rawValue: "narrow")
    /// Compares the loaded rows with the table.
    public static let audit = Self(rawValue: "audit")
    /// Begins to listen under `name` to changes, of which some wait, as `buffering` and `limit` say.
    public static let listen = Self(rawValue: "listen")
    /// Lets the listener `name` take changes, as many as `take` says, once they have come.
    public static let hear = Self(rawValue: "hear")
}

// Time and faults.
extension ScenarioStep.Action {
    /// Lets `ms` milliseconds go by.
    public static let wait = Self(rawValue: "wait")
    /// Waits until nothing is under way, at most two minutes.
    public static let settle = Self(rawValue: "settle")
    /// Requests are answered with `status`.
    public static let fail = Self(rawValue: "fail")
    /// Requests are answered with `body`, by somebody else than the server.
    public static let answer = Self(rawValue: "answer")
    /// Requests are lost on their way.
    public static let loseRequest = Self(rawValue: "loseRequest")
    /// Requests are carried out, and their answers are lost.
    public static let loseReply = Self(rawValue: "loseReply")
    /// Answers come without the second half of their body.
    public static let truncate = Self(rawValue: "truncate")
    /// The row `id` cannot be read where it comes with a page.
    public static let spoil = Self(rawValue: "spoil")
    /// Requests take `ms` milliseconds longer.
    public static let delay = Self(rawValue: "delay")
    /// Requests are carried out in time, and their answers take `ms` milliseconds longer.
    public static let delayReply = Self(rawValue: "delayReply")
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
    /// The server starts again with a store that has begun anew: another epoch, after `times` writes and
    /// their undoing, and of the rows only the first `limit` in the order of their ids; one of the same
    /// epoch, or without epochs, has a lower revision, or does not begin anew.
    public static let beginAnew = Self(rawValue: "beginAnew")
    /// The client's credentials are refused until it gets new ones.
    public static let expireToken = Self(rawValue: "expireToken")
    /// The server's clock is `ms` milliseconds ahead of the client's from now on.
    public static let skewClock = Self(rawValue: "skewClock")
    /// The delivery queue does not run for `ms` milliseconds.
    public static let stallDelivery = Self(rawValue: "stallDelivery")
    /// Ends all faults.
    public static let heal = Self(rawValue: "heal")
}
