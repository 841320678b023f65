import Dispatch
import Synchronization

@testable import RemoteData

/// Hears everything a collection tells its handlers, and lets a test wait until something is so.
final class Watcher: Sendable {
    enum Notice: Sendable {
        case started
        case completed
        case failed(RemoteDataError)
        case changed(EventType)
    }

    struct TooLate: Error, CustomStringConvertible {
        let description: String
    }

    private struct Waiter {
        let id: Int
        let condition: @Sendable ([Notice]) -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var notices: [Notice] = []
        var waiters: [Waiter] = []
        var lastID = 0
    }

    private let state = Mutex(State())

    init<Element>(_ collection: RemoteDataCollection<Element>) {
        collection.requestStartedHandler = { [self] in note(.started) }
        collection.requestCompletedHandler = { [self] in note(.completed) }
        collection.errorHandler = { [self] in note(.failed($0)) }
        collection.dataChangedHandler = { [self] in note(.changed($0)) }
    }

    var notices: [Notice] { state.withLock { $0.notices } }

    var changes: [EventType] {
        notices.compactMap { if case .changed(let type) = $0 { type } else { nil } }
    }

    var errors: [RemoteDataError] {
        notices.compactMap { if case .failed(let error) = $0 { error } else { nil } }
    }

    private func note(_ notice: Notice) {
        let notices = state.withLock { state in
            state.notices.append(notice)
            return state.notices
        }
        let waiters = state.withLock { $0.waiters }
        for waiter in waiters where waiter.condition(notices) { settle(waiter.id, true) }
    }

    private func settle(_ id: Int, _ isSo: Bool) {
        let waiter = state.withLock { state in
            state.waiters.firstIndex { $0.id == id }.map { state.waiters.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: isSo)
    }

    /// Waits until a condition holds, looked at now and after each notice.
    ///
    /// - Throws: `TooLate` after 30 seconds.
    func until(_ what: String, _ condition: @escaping @Sendable ([Notice]) -> Bool) async throws {
        let id = state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        let isSo = await withCheckedContinuation { continuation in
            state.withLock { state in
                state.waiters.append(Waiter(id: id, condition: condition, continuation: continuation))
            }
            if condition(notices) { settle(id, true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 30) { [self] in settle(id, false) }
        }
        if !isSo { throw TooLate(description: "not within 30 s: \(what); heard \(notices)") }
    }

    /// Waits until as many changes of a type have been told.
    func until(_ count: Int, _ type: EventType) async throws {
        try await until("\(count) changes of type \(type)") { notices in
            notices.count { if case .changed(type) = $0 { true } else { false } } >= count
        }
    }
}

/// Waits until something is so that nobody tells, giving way to others meanwhile.
///
/// - Throws: `TooLate` after 30 seconds.
func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let start = ContinuousClock.now
    while try await !condition() {
        guard start.duration(to: .now) < .seconds(30) else {
            throw Watcher.TooLate(description: "not within 30 s: \(what)")
        }
        await Task.yield()
    }
}

extension RemoteDataCollection {
    /// Whether changes are delivered, and the delivery queue knows.
    var hasGoneLive: Bool { state.withLock { $0.core.isLive } }

    /// Waits until changes are delivered.
    func untilLive() async throws {
        try await eventually("changes are delivered") { hasGoneLive }
    }
}
