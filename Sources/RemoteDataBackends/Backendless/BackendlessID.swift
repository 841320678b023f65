import RemoteData

/// Ids as Backendless has them: any text, but for what means something else in a path.
enum BackendlessID {
    private static let words: Set<String> = ["", "upsert", "deep-save"]

    /// Whether a row can be written by its id.
    static func isValid(_ id: RowID) -> Bool {
        if case .text(let text) = id { !words.contains(text) } else { false }
    }
}
