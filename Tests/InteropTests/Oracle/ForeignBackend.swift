import RemoteData
import RemoteDataBackends

/// A server that somebody else wrote, with a table that is also written to past the library.
protocol ForeignBackend: Sendable {
    /// The port it listens on.
    var port: Int { get }

    /// The path of requests for changes, which are refused while others are answered.
    var changesPath: String { get }

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

    /// Creates a row by the server's own API without a reported change; false where that is impossible.
    func createSilently(_ item: Item) async throws -> Bool

    /// Withdraws a row by the server's own API without a reported change; false where that is impossible.
    func deleteSilently(_ id: String) async throws -> Bool

    /// Revokes the credentials of the program for a while, or its tokens; false where it has none.
    func endTokens() async throws -> Bool

    /// Whether that has the program's requests refused, because it cannot sign in again.
    var refusesCredentials: Bool { get }

    /// Waits until every token that the program has been given has run out; false where none does.
    func awaitExpiry() async throws -> Bool

    /// Begins or ends to refuse nearly all requests of the program as too many; false where it has no such limit.
    func limitRequests(_ isLimited: Bool) async throws -> Bool

    /// All rows that the program may see, by the server's own API.
    func rows() async throws -> [Row]

    /// The same rows in the server's order.
    func rows(in sort: [SortTerm]) async throws -> [Row]

    /// Ends the server as `kill -9` does, and starts it again on the same data.
    func restart() async throws

    /// The orders of rows that the server has.
    var sorts: [String] { get }
}

extension ForeignBackend {
    func createSilently(_ item: Item) async throws -> Bool { false }

    func deleteSilently(_ id: String) async throws -> Bool { false }

    func endTokens() async throws -> Bool { false }

    var refusesCredentials: Bool { false }

    func awaitExpiry() async throws -> Bool { false }

    func limitRequests(_ isLimited: Bool) async throws -> Bool { false }

    /// In the order of this library, which is the server's.
    func rows(in sort: [SortTerm]) async throws -> [Row] {
        try await rows().sorted {
            Key.order(Key($0, sort: sort), Key($1, sort: sort), sort: sort) == .ascending
        }
    }
}

/// A row of the table.
struct Item: Codable, Identifiable, Sendable, Hashable {
    var id: String?
    var s: String
    var n: Int
    /// Who made it: no two rows that were made have the same.
    var tag: String
}
