import Foundation
import RemoteData
import Synchronization

/// Sees that of all processes and stores that have a file open, one sends what is in its outbox.
///
/// A lock on a file beside it (`flock`), which the system releases when a process ends, however it does.
final class SenderLock: Sendable {
    private enum State {
        case free
        case held(Int32)
        case ended
    }

    /// The file; nil where nobody else can have the store open.
    private let path: String?
    private let state = Mutex(State.free)

    init(path: String?) { self.path = path }

    deinit { end() }

    /// What came of trying.
    enum Answer {
        case isOurs
        /// It is from now on.
        case hasBecomeOurs
        case isAnothers
    }

    /// Tries to get the lock, and never waits for it.
    ///
    /// To be called where blocking calls are allowed.
    func take() throws(RemoteDataError) -> Answer {
        try state.withLock { (state) throws(RemoteDataError) in
            switch state {
            case .held: return .isOurs
            case .ended: return .isAnothers
            case .free: break
            }
            guard let path else {
                state = .held(-1)
                return .hasBecomeOurs
            }
            let file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard file >= 0 else {
                throw RemoteDataError(
                    .storage,
                    "\(path) could not be opened: \(String(cString: strerror(errno)))."
                )
            }
            guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
                close(file)
                return .isAnothers
            }
            state = .held(file)
            return .hasBecomeOurs
        }
    }

    /// Gives the lock back, for good.
    func end() {
        state.withLock { state in
            if case .held(let file) = state, file >= 0 { close(file) }
            state = .ended
        }
    }
}
