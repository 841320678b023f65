import RemoteDataExecution

/// Keeps a subscription to a query going for as long as somebody wants its changes.
struct ChangeFollower: Sendable {
    let table: any Table
    let query: Query
    let clock: any Clock<Duration>
    var surroundings = Surroundings()

    /// Subscribes, delivers, and subscribes again when a feed ends, until `deliver` answers false or the task is cancelled.
    ///
    /// - Parameters:
    ///   - isRestored: Whether what is known is from another time, so that there is a gap unless changes are resumed.
    ///   - since: The revision up to which changes are known.
    ///   - takeAtOnce: Takes few changes in the place of `deliver`, on the thread that brings them and while nothing else is
    ///     delivered, or answers false and leaves them; nil for nobody. It takes no time and calls nobody.
    ///   - deliver: Takes what comes.
    func run(
        isRestored: Bool = false,
        since: @Sendable () -> Revision?,
        takeAtOnce: ChangeFeed.Taker? = nil,
        deliver: @Sendable ([ChangeEvent]) -> Bool
    ) async {
        var backoff = ReconnectBackoff()
        let (watch, signal) = (Stopwatch(clock), surroundings.retrySignal)
        var isFirst = true
        var reason: RemoteDataError?
        while !Task.isCancelled {
            let wakes = signal.wakes
            // A change that took too much work once would do so again.
            let start = table.capabilities.resume && reason?.code != .tooLarge ? since() : nil
            reason = nil
            do throws(RemoteDataError) {
                let feed = try await subscribe(since: start, takeAtOnce)
                defer { feed.cancel() }
                backoff.opened(at: watch.elapsed)
                // What happened before the feed, only revisions tell.
                var hasGap = start == nil && (!isFirst || isRestored || since() == nil)
                isFirst = false
                while true {
                    var events = await feed.nextBatch()
                    guard !events.isEmpty else { break }
                    if hasGap, let live = events.firstIndex(where: \.isLive) {
                        events.insert(.reset, at: live)
                        hasGap = false
                    }
                    guard deliver(events) else { return }
                    for event in events where !event.isPlain { note(event, &backoff, &reason) }
                }
                if reason == nil, !deliver([.interrupted(silence)]) { return }
            } catch {
                guard deliver([.interrupted(error)]) else { return }
                reason = error
            }
            guard await pause(reason, &backoff, at: watch.elapsed, since: wakes) else { return }
        }
    }

    /// Waits for the next attempt.
    ///
    /// - Returns: Whether there is to be one.
    private func pause(
        _ reason: RemoteDataError?,
        _ backoff: inout ReconnectBackoff,
        at now: Duration,
        since wakes: Int
    ) async -> Bool {
        if reason?.isRefusal ?? false {
            backoff.givenUp()
            backoff.refused()
        }
        let wish = reason?.retryAfter
        let delay = backoff.ended(at: now, atLeast: wish, chance: surroundings.chance())
        let wait: Void? = try? await surroundings.retrySignal.sleep(
            for: delay,
            atLeast: wish,
            since: wakes,
            heedsAnswers: reason?.isOutage ?? true,
            clock: clock
        )
        return wait != nil
    }

    /// Notes what an event says of the subscription, and why it is interrupted if it is.
    private func note(
        _ event: ChangeEvent,
        _ backoff: inout ReconnectBackoff,
        _ reason: inout RemoteDataError?
    ) {
        switch event {
        case .live:
            backoff.worked()
            surroundings.retrySignal.answered()
            reason = nil
        case .interrupted(let error): reason = error
        case .change, .progress, .reset: break
        }
    }

    private func subscribe(
        since revision: Revision?,
        _ takeAtOnce: ChangeFeed.Taker?
    ) async throws(RemoteDataError) -> ChangeFeed {
        let feed = try await table.subscribe(to: query, since: revision)
        if let takeAtOnce { feed.setTaker { $0.allSatisfy(\.isPlain) && takeAtOnce($0) } }
        return feed
    }

    private var silence: RemoteDataError {
        RemoteDataError(.unreachable, "The table \(table.name) stopped telling its changes.")
    }
}

extension ChangeEvent {
    /// Whether it says that nothing is missed from here on.
    fileprivate var isLive: Bool { if case .live = self { true } else { false } }
}
