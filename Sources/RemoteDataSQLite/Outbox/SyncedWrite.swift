public import RemoteData

/// A write that is durable here and travels to a server when it can.
///
/// To have one is to know that nothing of it is lost, by whatever happens to the network, the server or the program. What the
/// server thinks of it can be waited for, and need not be. Its ``numbers`` find it again after a restart:
/// ``Outbox/write(_:)``.
public struct SyncedWrite: Sendable {
    /// What was done here.
    public let outcome: Outcome
    /// The numbers of the writes by which the server learns of it, one for each row; none when there is nothing for it to learn.
    public let numbers: [Int64]
    let outbox: OutboxCore

    /// The row as it was stored here; nil for a removal, and for a write of several rows.
    public var row: Row? { outcome.rows.count == 1 ? outcome.rows[0] : nil }

    /// How far it has come: of several rows, as far as the one that has come least far; one that was refused counts before all.
    ///
    /// - Throws: `RemoteDataError`: `storage`; `gone` for a write given up so long ago that it is no longer known.
    public var state: WriteState {
        get async throws(RemoteDataError) {
            var states: [WriteState] = []
            for number in numbers { states.append(try await outbox.state(of: number)) }
            return states.min { $0.rank < $1.rank } ?? .acknowledged
        }
    }

    /// Waits until the server has agreed, for as long as that takes; cancelling the task ends the wait, not the write.
    ///
    /// - Throws: `RemoteDataError`: what the server said when it refused, or why the write was given up; `cancelled`; `storage` when the
    ///   store is closed meanwhile, which the write survives.
    public var acknowledged: Void {
        get async throws(RemoteDataError) { try await wait(nil) }
    }

    /// Waits until the server has agreed, up to a time.
    ///
    /// - Throws: `RemoteDataError`: as ``acknowledged``, and `timedOut`; the write goes on then.
    public func acknowledged(within limit: Duration) async throws(RemoteDataError) { try await wait(limit) }

    private func wait(_ limit: Duration?) async throws(RemoteDataError) {
        for number in numbers {
            let state = try await outbox.end(of: number, within: limit)
            if let error = state.error { throw error }
        }
    }

    /// How far it comes, from now on until that is decided or the store is closed; the last ones when they come faster than they
    /// are read.
    ///
    /// Of a write of several rows, that of the last one.
    public var states: AsyncStream<WriteState> { outbox.states(of: numbers.last) }
}

extension WriteState {
    fileprivate var rank: Int {
        switch self {
        case .dead: 0
        case .rejected: 1
        case .queued: 2
        case .sending: 3
        case .acknowledged: 4
        }
    }
}
