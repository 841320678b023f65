import RemoteDataExecution
import Testing

@testable import RemoteData

@Suite struct SendingPlanTests {
    private let lost = RemoteDataError(.unreachable, "No.")

    private func room(_ plan: SendingPlan, inFlight: Int = 0, at now: Duration = .zero) -> Int {
        plan.room(limit: 8, inFlight: inFlight, now: now)
    }

    @Test func asManyAsThereAreAreSentWhileTheServerAnswers() {
        var plan = SendingPlan()
        #expect(room(plan) == 8)
        #expect(room(plan, inFlight: 5) == 3)
        #expect(room(plan, inFlight: 9) == 0)
        let wasDown = plan.answered()
        #expect(!wasDown)
        #expect(plan.wakes(after: .zero) == nil)
    }

    @Test func aServerThatIsDownIsAskedByOneAtATime() {
        var plan = SendingPlan()
        plan.failed(lost, now: .seconds(10), chance: 1)
        #expect(room(plan, at: .seconds(10)) == 0)
        #expect(plan.wakes(after: .seconds(10)) == .milliseconds(10_200))
        #expect(room(plan, at: .milliseconds(10_200)) == 1)
        #expect(room(plan, inFlight: 1, at: .seconds(11)) == 0)
        #expect(plan.wakes(after: .seconds(11)) == nil)
        let wasDown = plan.answered()
        #expect(wasDown)
        #expect(room(plan, at: .seconds(11)) == 8)
    }

    @Test func itIsAskedSoonFiveTimesAndThenSeldom() {
        var plan = SendingPlan()
        var now = Duration.zero
        var waits: [Duration] = []
        for _ in 0..<8 {
            plan.failed(lost, now: now, chance: 1)
            let next = plan.wakes(after: now) ?? .zero
            waits.append(next - now)
            now = next
        }
        let quick: [Duration] = [200, 400, 800, 1_600, 3_200].map { .milliseconds($0) }
        #expect(waits == quick + [.seconds(60), .seconds(60), .seconds(60)])
    }

    @Test func requestsThatFailTogetherCountOnce() {
        var plan = SendingPlan()
        for _ in 0..<8 { plan.failed(lost, now: .zero, chance: 1) }
        #expect(plan.wakes(after: .zero) == .milliseconds(200))
    }

    @Test func aServerThatAsksForTimeGetsIt() {
        var plan = SendingPlan()
        let error = RemoteDataError(.rateLimited, "Slow.", retryAfter: .seconds(90))
        plan.failed(error, now: .zero, chance: 0)
        #expect(plan.wakes(after: .zero) == .seconds(90))
    }

    @Test("A network that is back does not end a wait that the server has asked for")
    func waitThatTheServerHasAskedFor() {
        var plan = SendingPlan()
        plan.failed(RemoteDataError(.rateLimited, "Slow.", retryAfter: .seconds(90)), now: .zero, chance: 0)
        plan.networkReturned(now: .seconds(10))
        #expect(room(plan, at: .seconds(10)) == 0)
        #expect(plan.wakes(after: .seconds(10)) == .seconds(90))
        #expect(room(plan, at: .seconds(90)) == 1)
        plan.failed(lost, now: .seconds(100), chance: 1)
        plan.networkReturned(now: .seconds(100))
        #expect(room(plan, at: .seconds(100)) == 1)
    }

    @Test func whoPausesOrIsOfflineSendsNothing() {
        var plan = SendingPlan()
        plan.isPaused = true
        #expect(room(plan) == 0)
        plan.isPaused = false
        plan.isOffline = true
        #expect(room(plan) == 0)
        plan.failed(lost, now: .zero, chance: 1)
        #expect(plan.wakes(after: .zero) == nil)
        plan.networkReturned(now: .seconds(1))
        #expect(room(plan, at: .seconds(1)) == 1)
    }

    @Test func anErrorOfOneRowSaysNothingOfTheServer() {
        #expect(!RemoteDataError(.unavailable, "Oh.", status: 500).isOfServer)
        #expect(!RemoteDataError(.rejected, "No.", status: 400).isOfServer)
        #expect(RemoteDataError(.unavailable, "Later.", status: 503).isOfServer)
        #expect(RemoteDataError(.unauthorized, "Who?", status: 401).isOfServer)
        #expect(lost.isOfServer)
    }
}
