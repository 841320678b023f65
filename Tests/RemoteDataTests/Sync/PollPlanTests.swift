import Testing

@testable import RemoteData

@Suite struct PollPlanTests {
    private func after(_ plan: inout PollPlan, _ now: Duration) -> PollPlan.Kind {
        let kind = plan.nextKind
        plan.began(at: now)
        plan.succeeded(kind)
        return kind
    }

    @Test func theFirstPollIsAtOnceAndEveryThirdIsComplete() {
        var plan = PollPlan(rate: .normal)
        #expect(plan.nextTime == .zero)
        let kinds = (0..<7).map { after(&plan, .seconds($0)) }
        #expect(kinds == [.complete, .changes, .changes, .complete, .changes, .changes, .complete])
    }

    @Test(arguments: [(SyncRate.normal, 6), (.slow, 20), (.every(.seconds(2)), 2)])
    func theRateSaysWhen(rate: SyncRate, seconds: Int) {
        var plan = PollPlan(rate: rate)
        plan.isObserved = true
        _ = after(&plan, .seconds(100))
        #expect(plan.nextTime == .seconds(100 + seconds))
        plan.isObserved = false
        #expect(plan.nextTime == .seconds(100 + 5 * seconds))
    }

    @Test func nobodyAsksWhereNothingCanBeHeard() {
        var plan = PollPlan(rate: .off)
        #expect(plan.nextTime == nil)
        plan.rate = .normal
        plan.isOffline = true
        #expect(plan.nextTime == nil)
        plan.isOffline = false
        plan.subscribed(resuming: true, at: .zero)
        plan.live(at: .zero)
        #expect(plan.nextTime == nil)
        plan.interrupted(at: .seconds(1))
        plan.isObserved = true
        // What a short interruption has missed comes with the next events.
        #expect(plan.nextTime == .seconds(7))
    }

    @Test func aPollThatFailsIsMadeAgainLaterAndIsTheSame() {
        var plan = PollPlan(rate: .every(.milliseconds(100)))
        plan.isObserved = true
        plan.began(at: .zero)
        plan.failed(RemoteDataError(.unreachable, "No."), at: .zero, chance: 1)
        #expect(plan.nextTime == .seconds(1))
        #expect(plan.nextKind == .complete)
        plan.began(at: .seconds(1))
        plan.failed(RemoteDataError(.unreachable, "No."), at: .seconds(1), chance: 1)
        #expect(plan.nextTime == .seconds(3))
        plan.failed(
            RemoteDataError(.rateLimited, "No.", retryAfter: .seconds(40)),
            at: .seconds(3),
            chance: 0
        )
        #expect(plan.nextTime == .seconds(43))
        _ = after(&plan, .seconds(43))
        #expect(plan.nextTime == .milliseconds(43_100))
        #expect(plan.nextKind == .changes)
    }

    @Test("The wait after failures is not much longer than that between polls")
    func failuresOfObservedTables() {
        for (rate, isObserved, longest) in [
            (SyncRate.normal, true, 6), (.normal, false, 30), (.slow, false, 60),
            (.every(.seconds(1)), true, 5),
        ] {
            var plan = PollPlan(rate: rate)
            plan.isObserved = isObserved
            for _ in 0..<10 {
                plan.began(at: .zero)
                plan.failed(RemoteDataError(.unreachable, "No."), at: .seconds(100), chance: 1)
            }
            #expect(plan.nextTime == .seconds(100 + longest))
        }
    }

    @Test("A read that is waited for asks for everything that events do not tell")
    func readThatIsWaitedFor() {
        var plan = PollPlan(rate: .normal)
        _ = after(&plan, .zero)
        #expect(plan.nextKind == .changes && plan.awaitedKind == .complete)
        plan.subscribed(resuming: true, at: .seconds(1))
        plan.live(at: .seconds(1))
        #expect(plan.awaitedKind == .changes)
        plan.missedEvents()
        #expect(plan.awaitedKind == .complete)
    }

    // MARK: Events

    @Test("A table that is followed is read once its events come, and again when some were missed")
    func readsOfAFollowedTable() {
        var plan = PollPlan(rate: .normal)
        plan.subscribed(resuming: false, at: .zero)
        #expect(plan.nextTime == PollPlan.headStart)
        plan.live(at: .seconds(1))
        #expect(plan.nextTime == .zero && plan.nextKind == .complete)
        _ = after(&plan, .seconds(1))
        #expect(!plan.isBehind && plan.nextTime == nil)
        plan.missedEvents()
        #expect(plan.nextTime == .zero && plan.nextKind == .complete)
        plan.failed(RemoteDataError(.unreachable, "No."), at: .seconds(2), chance: 1)
        #expect(plan.nextTime == .seconds(3) && plan.isBehind)
        _ = after(&plan, .seconds(3))
        #expect(!plan.isBehind && plan.nextTime == nil)
    }

    @Test("What was read before the events came does not count for them")
    func readBeforeTheEvents() {
        var plan = PollPlan(rate: .normal)
        plan.subscribed(resuming: false, at: .zero)
        _ = after(&plan, .seconds(2))
        #expect(plan.isBehind)
        plan.live(at: .seconds(3))
        #expect(plan.nextTime == .zero && plan.nextKind == .complete)
    }

    @Test("What is missed during a read is not part of it")
    func missedDuringARead() {
        var plan = PollPlan(rate: .normal)
        plan.subscribed(resuming: true, at: .zero)
        plan.live(at: .zero)
        plan.missedEvents()
        plan.began(at: .seconds(1))
        plan.missedEvents()
        plan.succeeded(.complete)
        // As may be so each time, it is read again after the usual time.
        #expect(plan.isBehind && plan.nextTime == .seconds(31) && plan.nextKind == .complete)
        _ = after(&plan, .seconds(2))
        #expect(!plan.isBehind && plan.nextTime == nil)
    }

    @Test("A subscription that ends is made again, at once only after it was live for a while")
    func subscriptionsThatEnd() {
        var plan = PollPlan(rate: .normal)
        plan.isObserved = true
        #expect(plan.nextSubscription == .zero)
        for (now, wait) in [(0, 1), (10, 2), (20, 4), (30, 6)] {
            plan.subscribed(resuming: true, at: .seconds(now))
            plan.live(at: .seconds(now))
            plan.unsubscribed(after: nil, at: .seconds(now + 1), chance: 1)
            #expect(plan.nextSubscription == .seconds(now + 1 + wait))
        }
        plan.live(at: .seconds(100))
        plan.unsubscribed(after: nil, at: .seconds(200), chance: 1)
        #expect(plan.nextSubscription == .seconds(201))
        plan.rate = .off
        #expect(plan.nextSubscription == nil)
    }

    @Test("A table that is not there yet is looked for at the usual rate, and at its first change")
    func missingTable() {
        var plan = PollPlan(rate: .normal)
        plan.isObserved = true
        plan.subscribed(resuming: false, at: .zero)
        plan.live(at: .zero)
        plan.began(at: .zero)
        plan.foundNoTable(at: .seconds(1))
        #expect(plan.nextTime == .seconds(7) && plan.nextKind == .complete)
        plan.sawChange()
        #expect(plan.nextTime == .zero)
        _ = after(&plan, .seconds(2))
        #expect(plan.nextTime == nil)
        plan.sawChange()
        #expect(plan.nextTime == nil)
    }

    @Test("Once a server answers again, nothing waits for having failed")
    func hurry() {
        var plan = PollPlan(rate: .normal)
        plan.began(at: .seconds(5))
        plan.failed(RemoteDataError(.unreachable, "No."), at: .seconds(5), chance: 1)
        plan.unsubscribed(after: RemoteDataError(.unreachable, "No."), at: .seconds(5), chance: 1)
        plan.hurry()
        #expect(plan.nextTime == .zero && plan.nextSubscription == .zero)
    }

    @Test("A wait that the server has asked for is never ended early")
    func waitThatTheServerHasAskedFor() {
        var plan = PollPlan(rate: .normal)
        let busy = RemoteDataError(.rateLimited, "No.", retryAfter: .seconds(90))
        plan.began(at: .seconds(5))
        plan.failed(busy, at: .seconds(5), chance: 1)
        plan.unsubscribed(after: busy, at: .seconds(6), chance: 1)
        plan.hurry()
        #expect(plan.nextTime == .seconds(95) && plan.nextSubscription == .seconds(96))
        let hasEnded = plan.answered(at: .seconds(10))
        #expect(hasEnded && plan.nextTime == .seconds(95) && plan.nextSubscription == .seconds(96))
        // A read that was asked for ends the wait of reads alone.
        _ = after(&plan, .seconds(20))
        #expect(plan.nextTime == .seconds(50) && plan.nextSubscription == .seconds(96))
    }

    @Test("Answers to other requests end waits once a second at most")
    func answersEndWaits() {
        var plan = PollPlan(rate: .normal)
        let lost = RemoteDataError(.unreachable, "No.")
        for (time, ends) in [(1_000, true), (1_500, false), (1_999, false), (2_000, true)] {
            let now = Duration.milliseconds(time)
            plan.failed(lost, at: now, chance: 1)
            let hasEnded = plan.answered(at: now)
            #expect(hasEnded == ends)
            #expect((plan.nextTime == .zero) == ends)
        }
    }

    @Test func noRateIsFasterThanTenTimesASecond() {
        #expect(SyncRate.every(.zero).interval == .milliseconds(100))
    }
}
