/// What the storage behind a Kinto server can promise, which a server does not tell.
///
/// Start with the kind of storage, and say what is known of it:
///
/// ```swift
/// var storage = KintoStorage.postgreSQL
/// storage.sortsTextByBytes = true        // the database has the locale C or C.UTF-8
/// ```
public struct KintoStorage: Sendable, Hashable {
    /// Whether text sorts by its UTF-8 bytes: in memory, and in databases with the locale `C` or `C.UTF-8`.
    ///
    /// Rows then sort as they do here, and ranges of text are filtered by the server; in any other order neither can be
    /// reproduced, so the server is asked where rows belong, and ranges of text are evaluated here.
    public var sortsTextByBytes: Bool
    /// Whether of several writes that depend on one revision a single one is made: in memory, and in databases with Kinto's
    /// setting `storage_isolation_level = REPEATABLE READ`.
    ///
    /// PostgreSQL in its usual isolation level makes them all (measured with Kinto 26.5.0), so that no write can depend on a
    /// revision.
    public var hasAtomicConditions: Bool
    /// How much later than others with younger stamps a change may come to light.
    ///
    /// PostgreSQL stamps a change when it is made and shows it when its transaction ends, such as that of a batch of requests.
    /// What is stamped so little earlier than what was told is asked for again and again.
    public var overlap: Duration

    /// In memory.
    public static let memory = KintoStorage(sortsTextByBytes: true, hasAtomicConditions: true, overlap: .zero)
    /// A PostgreSQL database of any locale, as Kinto sets it up.
    public static let postgreSQL = KintoStorage(
        sortsTextByBytes: false,
        hasAtomicConditions: false,
        overlap: .seconds(10)
    )

    private init(sortsTextByBytes: Bool, hasAtomicConditions: Bool, overlap: Duration) {
        (self.sortsTextByBytes, self.hasAtomicConditions) = (sortsTextByBytes, hasAtomicConditions)
        self.overlap = overlap
    }
}
