import RemoteData

/// The entity tags of a field `If-None-Match`.
///
/// Source: RFC 9110, sections 8.8.3 and 13.1.2.
struct EntityTags: Sendable, Equatable {
    private let isAny: Bool
    private let tags: [Substring]

    init(_ text: String) {
        let parts = text.split { $0 == "," || $0 == " " || $0 == "\t" }
        isAny = parts == ["*"]
        // A row has one representation, so that a weak tag is as good as a strong one.
        tags = parts.map { $0.hasPrefix("W/") ? $0.dropFirst(2) : $0 }
    }

    /// Whether they have that of a revision.
    func contains(_ revision: Revision) -> Bool { isAny || tags.contains { $0 == "\"\(revision)\"" } }
}
