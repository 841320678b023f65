import RemoteData
import RemoteDataBackends

/// A server that somebody else wrote, with a table that is also written to past the library.
protocol ForeignBackend: Sendable {
    /// The port it listens on.
    var port: Int { get }

    /// The table, reached at a URL such as that of a proxy; each has connections of its own.
    func table(at url: String, _ configuration: RESTConfiguration) throws -> any Table

    /// An id that the server takes, for a number.
    func id(_ number: Int) -> String

    /// Creates a row by the server's own API; false when one is there already.
    func create(_ item: Item) async throws

    /// Changes some columns of a row by the server's own API; does nothing when there is none.
    func update(_ id: String, _ members: String) async throws

    /// Removes a row by the server's own API; does nothing when there is none.
    func delete(_ id: String) async throws

    /// All rows, by the server's own API.
    func rows() async throws -> [Row]

    /// Ends the server as `kill -9` does, and starts it again on the same data.
    func restart() async throws

    /// The orders of rows that the server has.
    var sorts: [String] { get }
}

/// A row of the table.
struct Item: Codable, Identifiable, Sendable, Hashable {
    var id: String?
    var s: String
    var n: Int
    /// Who made it: no two rows that were made have the same.
    var tag: String
}
