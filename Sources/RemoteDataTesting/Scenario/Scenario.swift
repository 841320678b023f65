public import Foundation

/// A run of a collection over a simulated server, step by step, with what is expected of it.
///
/// Scenarios are JSON files; see <doc:ScenarioFiles>. ``ScenarioRunner`` runs them.
public struct Scenario: Codable, Sendable, Hashable {
    /// What it shows, in one line.
    public var name: String
    /// Why it is there.
    public var about: String?
    /// What all choices of the network and of the order of jobs are drawn from; without one, everything comes in order
    /// and each message takes 10 ms.
    public var seed: UInt64?
    /// The table on the server.
    public var table: TableSetup
    /// The collection over it.
    public var collection: CollectionSetup
    /// What happens.
    public var steps: [ScenarioStep]

    /// Creates a scenario.
    public init(
        name: String,
        about: String? = nil,
        seed: UInt64? = nil,
        table: TableSetup = TableSetup(),
        collection: CollectionSetup = CollectionSetup(),
        steps: [ScenarioStep] = []
    ) {
        (self.name, self.about, self.seed) = (name, about, seed)
        (self.table, self.collection, self.steps) = (table, collection, steps)
    }

    /// Reads a scenario file.
    ///
    /// - Throws: `DecodingError` that says what is missing or of a wrong type, and where; ``ScenarioFileError`` for a word
    ///   that scenario files do not have.
    public init(json: Data) throws {
        let decoder = JSONDecoder()
        self = try decoder.decode(Scenario.self, from: json)
        try ScenarioWords.check(try decoder.decode(ScenarioValue.self, from: json))
    }

    /// The scenario as a file, a step on each line.
    public var file: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        func text(_ value: some Encodable) -> String {
            (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
        }
        var lines = ["{", "  \"name\": \(text(name)),"]
        if let about { lines.append("  \"about\": \(text(about)),") }
        if let seed { lines.append("  \"seed\": \(seed),") }
        lines += ["  \"table\": \(text(table)),", "  \"collection\": \(text(collection)),", "  \"steps\": ["]
        lines.append(steps.map { "    " + text($0) }.joined(separator: ",\n"))
        return (lines + ["  ]", "}", ""]).joined(separator: "\n")
    }
}

extension Scenario {
    /// The table of a scenario.
    public struct TableSetup: Codable, Sendable, Hashable {
        /// The rows it begins with; each has an `objectId`, text or an integer.
        public var rows: [ScenarioValue]?
        /// How many changes its log keeps; 100,000 unless said otherwise.
        public var log: Int?
        /// Whether the ids the table chooses are integers.
        public var integerIDs: Bool?
        /// What it declares that it can do, by the names of the wire; everything unless said otherwise.
        public var capabilities: [String]?
        /// The most rows of a page; 1,000 unless said otherwise.
        public var maximumPageSize: Int?
        /// The column in which the table writes the date of each change of a row; none unless said otherwise.
        public var stamp: String?
        /// How many milliseconds a stamp may be behind one that was seen; 10,000 unless said otherwise.
        public var stampOverlap: Int?
        /// How it sorts text, without telling: `nocase`, `backwards` from the last character to the first, or `bytes`.
        ///
        /// Unless one is named, by its bytes, and it says so (`Capabilities.binaryOrder`).
        public var collation: String?
        /// Whether its revisions have an epoch; they do by default.
        public var epochs: Bool?

        /// Creates a setup; empty unless said otherwise.
        public init(
            rows: [ScenarioValue]? = nil,
            log: Int? = nil,
            integerIDs: Bool? = nil,
            capabilities: [String]? = nil,
            maximumPageSize: Int? = nil,
            stamp: String? = nil,
            stampOverlap: Int? = nil,
            collation: String? = nil,
            epochs: Bool? = nil
        ) {
            (self.rows, self.log, self.integerIDs) = (rows, log, integerIDs)
            (self.capabilities, self.maximumPageSize) = (capabilities, maximumPageSize)
            (self.stamp, self.stampOverlap) = (stamp, stampOverlap)
            (self.collation, self.epochs) = (collation, epochs)
        }
    }

    /// The collection of a scenario.
    public struct CollectionSetup: Codable, Sendable, Hashable {
        /// Which rows.
        public var `where`: String?
        /// In which order.
        public var sort: String?
        /// Rows asked for at a time; 100 unless said otherwise.
        public var pageSize: Int?
        /// Pages asked for ahead of an iteration; 1 unless said otherwise.
        public var readAhead: Int?
        /// Whether it follows the table's changes; it does unless said otherwise.
        public var live: Bool?
        /// How long it waits for the table, in milliseconds; 30,000 unless said otherwise.
        public var deadline: Int?
        /// How many rows stay; all that were read unless said otherwise.
        public var cacheLimit: Int?
        /// Whether it is opened before the first step; it is unless said otherwise, and else by the step `open`.
        public var opens: Bool?
        /// How many changes may wait to be applied, or to be read from the feed; 100,000 and 10,000 by
        /// default.
        public var backlog: Int?

        /// Creates a setup; every row by id unless said otherwise.
        public init(
            where clause: String? = nil,
            sort: String? = nil,
            pageSize: Int? = nil,
            readAhead: Int? = nil,
            live: Bool? = nil,
            deadline: Int? = nil,
            cacheLimit: Int? = nil,
            opens: Bool? = nil,
            backlog: Int? = nil
        ) {
            (self.where, self.sort, self.pageSize) = (clause, sort, pageSize)
            (self.readAhead, self.live, self.deadline) = (readAhead, live, deadline)
            (self.cacheLimit, self.opens, self.backlog) = (cacheLimit, opens, backlog)
        }
    }
}
