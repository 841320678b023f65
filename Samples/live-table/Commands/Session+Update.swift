import Foundation
import RemoteData

extension Session {
    /// Changes the members given of one row, and prints the row as stored.
    ///
    /// A collection's `update` writes a whole row, so this asks the table itself: one request, the other members untouched.
    func update() async throws(Failure) {
        let (id, text) = (arguments.operands[0], arguments.operands[1])
        let values = try json(in: Array(text.utf8), "The JSON")
        guard values.count == 1, case .object(let members) = values[0] else {
            throw .usage("update needs one JSON object with the members to change.")
        }
        guard !members.isEmpty, !members.contains(where: { $0.name == table.idColumn }) else {
            throw .usage("update needs at least one member to change, and cannot change \(table.idColumn).")
        }
        for candidate in RowID.candidates(id) {
            let stored = try await request { () async throws(RemoteDataError) in
                try await updated(candidate, to: JSONValue.object(members).json)
            }
            guard let stored else { continue }
            return try print(stored)
        }
        throw Failure("There is no row \(id) in \(arguments.address.table).")
    }

    /// Writes members of a row; nil when there is no such row.
    private func updated(_ id: RowID, to patch: String) async throws(RemoteDataError) -> [LiveRow]? {
        do throws(RemoteDataError) {
            let mutation = Mutation.update(id, patch: Array(patch.utf8)[...])
            return try await table.commit(mutation, idempotencyKey: UUID().uuidString)
                .rows.compactMap { LiveRow($0) }
        } catch {
            if error.code == .notFound { return nil }
            throw error
        }
    }
}

extension RowID {
    /// The ids a word may stand for: an integer first when it is one, then text.
    static func candidates(_ word: String) -> [RowID] {
        guard let integer = Int64(word), String(integer) == word else { return [.text(word)] }
        return [.integer(integer), .text(word)]
    }
}
