extension Capabilities {
    /// The capabilities declared, by the names they have on the wire; the page size is told apart.
    package var names: [String] { Self.words.filter { self[keyPath: $0.flag] }.map(\.name) }

    /// Declares what a server names; names not known here are passed over.
    package init(names: some Sequence<String>, maximumPageSize: Int) {
        self.init()
        let names = Set(names)
        for word in Self.words where names.contains(word.name) { self[keyPath: word.flag] = true }
        self.maximumPageSize = maximumPageSize
    }

    private static var words: [(name: String, flag: WritableKeyPath<Capabilities, Bool>)] {
        [
            ("keysetPages", \.keysetPages), ("revisions", \.revisions), ("resume", \.resume),
            ("liveChanges", \.liveChanges), ("reportsLeaving", \.reportsLeaving),
            ("filteredWrites", \.filteredWrites), ("idempotency", \.idempotency),
            ("conditionalWrites", \.conditionalWrites), ("binaryOrder", \.binaryOrder),
        ]
    }
}
