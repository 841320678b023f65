/// How a Backendless server's database compares text, which nobody but who has set it up knows.
public enum BackendlessTextComparison: Sendable, Hashable {
    /// By a collation, capital letters and small ones the same, as MySQL does unless it is told otherwise.
    ///
    /// Conditions on text are then evaluated here on what the server sends, which may be more than matches; and text sorts as the
    /// server says.
    case byCollation
    /// By its bytes, as a binary collation does: an installation of one's own may have one.
    case byBytes
}
