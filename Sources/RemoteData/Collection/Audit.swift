/// What a comparison of a sample of a collection's rows with its table has found.
public struct Audit: Sendable, Hashable {
    /// How many rows were compared: those that are here and those that should be.
    public let compared: Int
    /// The table has these where the collection has none.
    public let missing: Set<RowID>
    /// The collection has these and the table, at that place, does not.
    public let extra: Set<RowID>
    /// These are here with other contents than in the table, and maybe at another place.
    public let differing: Set<RowID>
    /// Whether everything was compared at the revision it was read at.
    ///
    /// Otherwise changes under way may count as drift: the table has no revisions, changes are not followed, or they did not
    /// come in time.
    public let isSettled: Bool

    /// How much of what was compared is wrong, from 0 (nothing) to 1 (everything); 0 when nothing was compared.
    public var drift: Double { compared == 0 ? 0 : Double(wrong.count) / Double(compared) }

    /// The rows with anything wrong about them.
    public var wrong: Set<RowID> { missing.union(extra).union(differing) }
}

extension Audit: CustomStringConvertible {
    /// The numbers in a sentence, without ids and contents.
    public var description: String {
        var text = "\(compared) rows compared: "
        if wrong.isEmpty {
            text += "no drift"
        } else {
            let parts = [
                (missing.count, "missing"), (extra.count, "too many"), (differing.count, "different"),
            ]
            text += parts.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            text += ", a drift of \(drift)"
        }
        return text + (isSettled ? "" : "; changes under way may be among them")
    }
}
