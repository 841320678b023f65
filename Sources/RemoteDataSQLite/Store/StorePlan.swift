import Foundation
import RemoteData

/// How a store is opened.
struct StorePlan: Sendable {
    let path: String
    var key: EncryptionKey?
    let idColumn: String
    /// How many changes of all tables can be resumed from, and how many bytes of them are kept.
    let logCapacity: (changes: Int, bytes: Int)
    /// How many reads run at once.
    var readers = 2
    /// How long a call waits for another process that holds the file.
    let patience: Duration
    var relations = Relations.none
    /// Whether its revisions belong to a new history from now on.
    var beginsNewEpoch = false
    /// Makes the idempotency keys of writes that travel to a server.
    var makeKey: @Sendable () -> String = { UUID.random().uuidString }
    let now: @Sendable () -> Date
    /// In the place of a file, for simulations.
    var disk: SimulatedDisk.Session?
}
