import RemoteData
import Synchronization

/// Remembers the progress it is told.
final class Log: Sendable {
    private let entries = Mutex<[LoadProgress]>([])

    var all: [LoadProgress] { entries.withLock { $0 } }

    func note(_ progress: LoadProgress) { entries.withLock { $0.append(progress) } }
}
