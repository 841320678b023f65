public import Foundation
public import RemoteData

/// A write in the outbox, as it is looked at.
public struct OutboxItem: Sendable, Identifiable {
    /// What is done to the row.
    public enum Kind: Sendable, Hashable {
        /// It is added.
        case create
        /// It is added, or takes the place of the server's.
        case upsert
        /// Some of its columns are changed.
        case update
        /// It is removed.
        case delete
    }

    /// The number of the write; later ones have greater numbers.
    public let id: Int64
    /// The table.
    public let table: String
    /// The row's id.
    public let row: RowID
    /// What is done to the row.
    public let kind: Kind
    /// The row, or the columns of an update, as a JSON object; empty for a removal.
    public let json: ArraySlice<UInt8>
    /// How far it has come.
    public let state: WriteState
    /// How often it was sent.
    public let attempts: Int
    /// The number of the write it waits for.
    public let waitsFor: Int64?
    /// When it was accepted.
    public let time: Date
}

extension OutboxItem: CustomStringConvertible {
    /// What is done to which row, never the contents.
    public var description: String { "#\(id) \(kind) of \(table)/\(row)" }
}
