/// A table that passes calls on to another one, such as to log them or to limit what a user may see.
///
/// Collections over it share the waits between attempts with all others over the same server, and
/// ``Table/reconnect()`` is passed on.
public protocol WrappingTable: Table {
    /// The table that calls are passed on to; the same one each time.
    var wrapped: any Table { get }
}

extension WrappingTable {
    /// Passes on to the table that is wrapped; never blocks.
    public func reconnect() { wrapped.reconnect() }

    /// Makes an id as the table that is wrapped does; never blocks.
    public func makeRowID() -> RowID? { wrapped.makeRowID() }
}
