/// How a Backendless server's database compares text, which nobody but who has set it up knows.
public enum BackendlessTextComparison: Sendable, Hashable {
    /// By a collation, capital letters and small ones the same, as MySQL does unless it is told otherwise.
    ///
    /// Conditions on text are then evaluated here on what the server sends, which may be more than matches; and text sorts as the
    /// server says.
    case byCollation
    /// By its bytes, as a collation does that does not pad text with spaces, such as MySQL's `utf8mb4_0900_bin` or `binary`: an
    /// installation of one's own may have one.
    ///
    /// Not `utf8mb4_bin`, by which text is the same with spaces behind it.
    case byBytes
}
