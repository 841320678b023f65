extension Capabilities {
    /// The capabilities declared, by the names they have on the wire; sizes are told apart.
    package var names: [String] { Self.words.filter { self[keyPath: $0.flag] }.map(\.name) }

    /// Declares what a server names; names not known here are passed over.
    package init(names: some Sequence<String>, maximumPageSize: Int, maximumBulkSize: Int = .max) {
        self.init()
        let names = Set(names)
        for word in Self.words where names.contains(word.name) { self[keyPath: word.flag] = true }
        self.maximumPageSize = maximumPageSize
        self.maximumBulkSize = maximumBulkSize
    }

    /// What can be declared, by the names on the wire.
    package static var words: [(name: String, flag: WritableKeyPath<Capabilities, Bool>)] {
        [
            ("keysetPages", \.keysetPages), ("pagesBeyondKeys", \.pagesBeyondKeys),
            ("exactCounts", \.exactCounts), ("revisions", \.revisions),
            ("resume", \.resume), ("everyChange", \.everyChange), ("liveChanges", \.liveChanges),
            ("reportsLeaving", \.reportsLeaving), ("reportsEntering", \.reportsEntering),
            ("locatesDeleted", \.locatesDeleted), ("filteredDeletes", \.filteredDeletes),
            ("filteredUpdates", \.filteredUpdates), ("idempotency", \.idempotency),
            ("idempotentCreation", \.idempotentCreation), ("conditionalWrites", \.conditionalWrites),
            ("binaryOrder", \.binaryOrder), ("checksColumns", \.checksColumns),
        ]
    }
}
