/// A place that holds tables by name, such as a database file: what a `TableServer` serves.
public protocol TableStore: Sendable {
    /// The table of a name.
    ///
    /// - Parameters:
    ///   - name: The table's name.
    ///   - creating: Whether a table that is not there yet is made, empty; such a table comes into being with its
    ///     first row. Servers ask for any name this way, to read as well, so that nothing of a table without
    ///     rows may stay once it is no longer in use.
    /// - Returns: The table; nil when there is none and none was to be made.
    /// - Throws: ``RemoteDataError`` when the storage fails or the name cannot be one.
    func table(_ name: String, creating: Bool) async throws(RemoteDataError) -> (any Table)?

    /// The names of the tables that have had a row, sorted.
    func tableNames() async throws(RemoteDataError) -> [String]
}
