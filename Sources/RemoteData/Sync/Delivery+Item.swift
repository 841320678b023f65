extension Delivery {
    /// One write.
    package struct Item: Sendable {
        package let id: RowID
        package let change: QueuedChange
        /// The revision of the server's row as it was when the write was made, where it is known.
        ///
        /// Where the row has changed since and its revision was not known, one that no row has.
        package let baseRevision: Revision?
        package let key: String
        /// Whether it was sent before and may have arrived.
        package let isRepeated: Bool
        /// The server's row as it was when the write was made, where it is known to have changed since.
        package let replaced: ArraySlice<UInt8>?
        var replacesRow: Bool { replaced != nil }
        /// The server's row as it was when the write was made, where its own revision is not known.
        package let seen: Seen?

        /// A row as it was seen, or as it was sent.
        package struct Seen: Sendable {
            package let json: ArraySlice<UInt8>
            /// The revision of the table at which it was like this, where that is known: one that was
            /// created together with others may be of a later one.
            package let revision: Revision?

            package init(_ json: ArraySlice<UInt8>, asOf revision: Revision?) {
                (self.json, self.revision) = (json, revision)
            }

            /// Whether it was seen when the row was of a revision already.
            func reaches(_ other: Revision?) -> Bool {
                guard let other else { return true }
                return revision?.reaches(other) ?? false
            }
        }

        package init(
            id: RowID,
            change: QueuedChange,
            baseRevision: Revision?,
            key: String,
            isRepeated: Bool,
            replaced: ArraySlice<UInt8>? = nil,
            seen: Seen? = nil
        ) {
            self.id = id
            self.change = change
            self.baseRevision = baseRevision ?? (replaced == nil ? nil : .zero)
            self.key = key
            self.isRepeated = isRepeated
            self.replaced = replaced
            self.seen = seen
        }
    }
}
