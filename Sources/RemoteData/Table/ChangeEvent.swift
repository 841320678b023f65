/// What a ``ChangeFeed`` delivers.
public enum ChangeEvent: Sendable {
    /// From here on nothing is missed: every change after the revision follows, in order.
    ///
    /// Sent first, and again when a broken feed was resumed without a gap. Its epoch is that of all revisions
    /// that follow; it is another one than before only after a ``reset``.
    case live(Revision?)
    /// One change.
    case change(Change)
    /// Nothing else has changed up to a revision; later changes follow.
    case progress(Revision)
    /// The feed is interrupted; the table goes on trying. What changes meanwhile follows only if the next `live`
    /// comes without a `reset` before it.
    indirect case interrupted(RemoteDataError)
    /// Changes may have been missed: whoever holds rows has to compare them with the table again.
    case reset
}
