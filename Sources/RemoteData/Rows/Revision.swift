/// A point in a table's history: a number that grows with every write, and the epoch of the history.
///
/// Revisions are comparable within one epoch alone: the numbers of two histories say nothing about each
/// other. Code that may meet both asks ``isOfSameHistory(as:)`` first.
public struct Revision: Hashable, Comparable, Sendable {
    /// The number on the wire.
    public let rawValue: Int64
    /// 0 for none, which takes less room than an optional.
    private let epochNumber: UInt32

    /// Creates a revision from its number and its epoch.
    ///
    /// - Parameters:
    ///   - rawValue: The number on the wire.
    ///   - epoch: The history it belongs to; nil for a table that has none, such as one with timestamps for
    ///     revisions.
    public init(_ rawValue: Int64, epoch: Epoch? = nil) {
        self.rawValue = rawValue
        epochNumber = epoch?.rawValue ?? 0
    }

    /// The history it belongs to; nil for a table that has none.
    public var epoch: Epoch? { Epoch(rawValue: epochNumber) }

    /// Before anything was written, in any history.
    public static let zero = Revision(0)

    /// Whether both belong to one history, so that comparing them shows which is earlier; O(1).
    public func isOfSameHistory(as other: Revision) -> Bool { epochNumber == other.epochNumber }

    /// Whether the left one is earlier.
    ///
    /// Across epochs this is merely some total order, by number first, and means nothing in time.
    public static func < (left: Revision, right: Revision) -> Bool {
        (left.rawValue, left.epochNumber) < (right.rawValue, right.epochNumber)
    }
}

extension Revision: CustomStringConvertible {
    /// The digits, and the epoch after a hyphen where there is one.
    public var description: String { epoch.map { "\(rawValue)-\($0)" } ?? String(rawValue) }
}

extension Revision {
    /// Reads what ``description`` prints, as in an entity tag; nil for negative numbers and other text.
    package init?(tag: some StringProtocol) {
        let parts = tag.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let digits = parts.first, let number = Int64(digits), number >= 0 else { return nil }
        guard parts.count > 1 else {
            self.init(number)
            return
        }
        guard let epoch = Epoch(parts[1]) else { return nil }
        self.init(number, epoch: epoch)
    }

    /// The one that follows in the same history; none comes after the largest number, which a server may
    /// send.
    package var next: Revision { Revision(rawValue &+ 1, epoch: epoch) }

    /// The same point in the history of an epoch; nil where it belongs to another one.
    ///
    /// ``zero`` is the beginning of every history.
    package func point(in epoch: Epoch?) -> Revision? {
        if self.epoch == epoch { return self }
        return self == .zero ? Revision(0, epoch: epoch) : nil
    }

    /// Whether another revision is of the same history, and earlier.
    package func isLater(than other: Revision) -> Bool { isOfSameHistory(as: other) && self > other }

    /// Whether another revision is of the same history, and not later.
    package func reaches(_ other: Revision) -> Bool {
        point(in: other.epoch).map { other <= $0 } ?? (other == .zero)
    }
}

extension Revision? {
    /// The later of two revisions of one history; the new one of another history.
    package func advanced(to new: Revision) -> Revision {
        guard let self, self.isOfSameHistory(as: new) else { return new }
        return Swift.max(self, new)
    }
}
