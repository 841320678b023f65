import RemoteData
import RemoteDataTesting

extension RemoteDataCollection<Person> {
    /// The names of all rows in order, read without blocking.
    func names() async throws -> [String] { try await rows.reduce(into: []) { $0.append($1.name) } }
}

extension FaultyTable {
    /// Everything that was to be written, in order.
    var mutations: [Mutation] { requests.compactMap(\.mutation) }
}

extension Mutation {
    /// How many rows a `create` holds; nil for another mutation.
    var createdCount: Int? { if case .create(let drafts) = self { drafts.count } else { nil } }

    /// The text of an update's patch; nil for another mutation.
    var patchText: String? {
        if case .update(_, let patch, _) = self { String(decoding: patch, as: UTF8.self) } else { nil }
    }

    /// Whether it removes rows by clause.
    var isDeleteAll: Bool { if case .deleteAll = self { true } else { false } }
}

extension RemoteDataError {
    /// A failure that may pass, of a table that asks for patience: so the wait before the next attempt is known.
    static func busy(for wait: Duration) -> RemoteDataError {
        RemoteDataError(.unavailable, "The test has made the table busy.", retryAfter: wait)
    }

    /// A failure that stays.
    static let denied = RemoteDataError(.forbidden, "The test does not allow this.")
}

extension CollectionOptions {
    /// With another queue for deliveries.
    func with(delivery: DeliveryQueue) -> CollectionOptions {
        var options = self
        options.delivery = delivery
        return options
    }
}
