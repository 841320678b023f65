/// How it is with the delivery of a table's changes to a collection.
public enum LiveStatus: Sendable {
    /// Changes are not followed: the table tells none, or ``CollectionOptions/isLive`` is off.
    case off
    /// Not subscribed yet.
    case connecting
    /// Every change comes; some were missed before, and what is here is being compared with the table.
    ///
    /// Set as soon as a gap is known: after a disconnect, or when more changes wait than may because a
    /// handler is slow.
    case catchingUp
    /// Every change comes, and what is here is what the table has.
    case live
    /// No change comes for now, and the collection tries again: within seconds, or within a minute where the
    /// server refuses it, as for credentials or a column that is not there.
    case interrupted(RemoteDataError)

    /// Whether every change comes and none is missing.
    public var isLive: Bool { if case .live = self { true } else { false } }
}
