public import Foundation
public import RemoteData

// A damaged file is set aside, and what can be read of it goes to a new one.
extension LocalStore {
    /// Puts a new file in the place of a damaged one, with what can be read of it that no server has: labels, the rows they hold,
    /// the rows that were written here, and what has not been sent.
    ///
    /// What was merely read from servers is read again. The damaged file stays beside the new one, as it was. To be called when
    /// a store says that its file is damaged, or no database; it has to be closed before, in every process.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - key: As for opening it.
    ///   - idColumn: As for opening it.
    ///   - relations: As for opening it.
    ///   - now: The time, for the name of the damaged file.
    /// - Returns: What was rescued.
    /// - Throws: `RemoteDataError` with code `storage` when there is no such file, or the new one cannot be written; then the
    ///   damaged file is where it was.
    public static func rebuild(
        path: String,
        key: EncryptionKey? = nil,
        idColumn: String = "objectId",
        relations: [Relation] = [],
        now: @Sendable () -> Date = { Date() }
    ) async throws(RemoteDataError) -> RebuildReport {
        let aside = path + ".damaged-" + String(Int64(now().timeIntervalSince1970 * 1_000))
        let rescued = try await DatabaseFile.onThread { () throws(RemoteDataError) in
            try Rescued(path: path, key: key)
        }
        let new = path + ".rebuilt"
        try await DatabaseFile.onThread { () throws(RemoteDataError) in
            for suffix in DatabaseFile.suffixes { try DatabaseFile.remove(new + suffix) }
        }
        let store = try await LocalStore(path: new, key: key, idColumn: idColumn, relations: relations)
        do throws(RemoteDataError) {
            let writes = try await store.core.writer.change { (transaction) throws(RemoteDataError) in
                try transaction.take(rescued)
                return try transaction.take(rescued.outbox)
            }
            let labels = try await store.labels()
            await store.close()
            try await DatabaseFile.onThread { () throws(RemoteDataError) in
                try DatabaseFile.replace(path, with: new, keepingAs: aside)
            }
            return RebuildReport(
                damagedFile: aside,
                heldRows: rescued.held.count,
                ownRows: rescued.own.values.reduce(0) { $0 + $1.count },
                writes: writes,
                labels: labels
            )
        } catch {
            await store.close()
            throw error
        }
    }
}

/// What could be read of a damaged file.
private struct Rescued: Sendable {
    /// Rows that labels hold.
    var held: [(place: RowPlace, row: Row)] = []
    /// Rows that were written here, by table.
    var own: [String: [Row]] = [:]
    var pins: [(pin: DamagedStore.Pin, isRoot: Bool)] = []
    var outbox = RescuedOutbox()

    init(path: String, key: EncryptionKey?) throws(RemoteDataError) {
        guard FileManager.default.fileExists(atPath: path) else {
            throw RemoteDataError(.storage, "There is no file \(path).")
        }
        // Of a file whose beginning cannot be read, nothing can.
        guard let damaged = try? DamagedStore(path: path, key: key) else { return }
        own = damaged.ownRows
        outbox = damaged.outbox
        let known = damaged.pins
        // What was pinned by name comes first: the rest follows from it, where what leads there could be read.
        pins = known.map { (pin: $0.key, isRoot: $0.value) }.sorted { $0.isRoot && !$1.isRoot }
        for place in Set(known.keys.map(\.place)) {
            if let row = damaged.row(place) { held.append((place, row)) }
        }
    }
}

extension StoreTransaction {
    fileprivate mutating func take(_ rescued: Rescued) throws(RemoteDataError) {
        for (table, rows) in rescued.own.sorted(by: { $0.key < $1.key }) {
            for row in rows where isWhole(row) { try put(row, in: table, replacing: nil, mark: .own) }
        }
        for (place, row) in rescued.held where isWhole(row) { try keep(row, in: place.table) }
        for (pin, isRoot) in rescued.pins {
            let isHeld = try labels(of: pin.place).contains { $0.name == pin.label }
            if isRoot || !isHeld { try self.pin([pin.place.id], of: pin.place.table, label: pin.label) }
        }
    }

    /// Whether a row came out of a damaged file whole.
    private func isWhole(_ row: Row) -> Bool {
        (try? Row.parse(row.json, idColumn: idColumn))?.id == row.id
    }
}
