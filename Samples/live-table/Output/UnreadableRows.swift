import RemoteData
import Synchronization

/// Says on standard error which rows are left out because they cannot be read; of very many, not of each.
final class UnreadableRows: Sendable {
    private let count = Atomic(0)

    private static let limit = 10

    func note(_ error: RemoteDataError) {
        let number = count.wrappingAdd(1, ordering: .relaxed).newValue
        if number <= Self.limit { Output.complain("live-table: a row is left out. \(error.message)") }
        if number == Self.limit + 1 { Output.complain("live-table: more rows are left out.") }
    }
}
