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
        plan.isLive = true
        #expect(plan.nextTime == nil)
        plan.isLive = false
        #expect(plan.nextTime == .zero)
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

    @Test func whoStartsOverAsksForEverythingAtOnce() {
        var plan = PollPlan(rate: .normal)
        _ = after(&plan, .seconds(1))
        plan.startOver()
        #expect(plan.nextTime == .zero)
        #expect(plan.nextKind == .complete)
    }

    @Test func noRateIsFasterThanTenTimesASecond() {
        #expect(SyncRate.every(.zero).interval == .milliseconds(100))
    }
}
