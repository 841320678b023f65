/// What happened, in the words of the wire.
///
/// A server may send a kind this version has not heard of, so this is not an `enum`.
public struct ChangeKind: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The word on the wire.
    public let rawValue: String

    /// Takes any word, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A row was added, or came to match the clause.
    public static let created = ChangeKind(rawValue: "created")
    /// A row was changed.
    public static let updated = ChangeKind(rawValue: "updated")
    /// A row was removed, or no longer matches the clause.
    public static let deleted = ChangeKind(rawValue: "deleted")
    /// Every row matching a predicate was removed at once.
    public static let bulkDeleted = ChangeKind(rawValue: "bulkDeleted")

    /// The word on the wire.
    public var description: String { rawValue }
}
