/// What became of rows that were to be added.
public struct WriteResult<Element: Sendable>: Sendable {
    /// The rows as the table stored them, in the order given.
    public let stored: [Element]
    /// The rows that do not match the collection's clause: nothing was sent for them.
    public let discarded: [Element]
}
