/// A point in a table's history: it grows with every committed write.
///
/// Revisions of one server are comparable with each other and with nothing else.
public struct Revision: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The number on the wire.
    public let rawValue: Int64

    /// Takes the number on the wire.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Takes the number on the wire.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// Before anything was written.
    public static let zero = Revision(0)

    /// Whether the left one is earlier.
    public static func < (left: Revision, right: Revision) -> Bool { left.rawValue < right.rawValue }

    /// The digits.
    public var description: String { String(rawValue) }
}
