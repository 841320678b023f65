/// What a write that waits for its server does to one row.
package struct QueuedChange: Sendable, Hashable {
    /// The kinds of writes, by their numbers in a file.
    package enum Kind: Int64, Sendable {
        /// Adds a row that the server does not have.
        case create = 1
        /// Adds a row or takes the place of the server's.
        case upsert = 2
        /// Changes some columns.
        case update = 3
        /// Removes the row.
        case delete = 4
    }

    package let kind: Kind
    /// The row, or the patch of an update; empty for a removal.
    package let body: ArraySlice<UInt8>

    package init(_ kind: Kind, _ body: ArraySlice<UInt8> = []) {
        self.kind = kind
        self.body = body
    }

    /// What is left of two writes of a row, none of which was sent yet; nil for nothing.
    ///
    /// - Parameter next: The later one.
    /// - Returns: One write that does what both do.
    /// - Throws: ``RemoteDataError`` with code `invalidRow` when what is to be put together is no JSON object.
    package func followed(by next: QueuedChange) throws(RemoteDataError) -> QueuedChange? {
        switch (kind, next.kind) {
        case (.create, .delete): nil
        case (.create, .update), (.upsert, .update), (.update, .update):
            QueuedChange(kind, try JSONObject.merging(next.body, into: body))
        case (.create, _): QueuedChange(.create, next.body)
        case (_, .delete): next
        // The server may still have the row that was removed here.
        case (_, .create), (_, .upsert): QueuedChange(.upsert, next.body)
        case (.delete, .update): next
        }
    }

    /// The row once this is done to it; nil for none.
    ///
    /// - Parameter row: The row as it is; nil when there is none.
    /// - Returns: The row as it is then.
    /// - Throws: ``RemoteDataError`` with code `invalidRow`.
    package func applied(to row: ArraySlice<UInt8>?) throws(RemoteDataError) -> ArraySlice<UInt8>? {
        switch kind {
        case .create, .upsert: body
        case .update: try row.map { (row) throws(RemoteDataError) in try JSONObject.merging(body, into: row) }
        case .delete: nil
        }
    }
}
