import RemoteDataExecution
import Foundation
import Testing

@testable import RemoteDataNetwork

@Suite struct RetryTests {
    let policy = RetryPolicy(attempts: 4)

    // MARK: Retry-After

    let now = Date(timeIntervalSince1970: 784_111_777)  // Sun, 06 Nov 1994 08:49:37 GMT

    @Test(arguments: [
        "0": 0, "7": 7, " 120 ": 120, "Sun, 06 Nov 1994 08:49:47 GMT": 10,
        "Sunday, 06-Nov-94 08:50:37 GMT": 60,
        "Sun Nov  6 08:49:38 1994": 1, "Sun, 06 Nov 1994 08:49:00 GMT": 0,
    ])
    func secondsAndDatesAreUnderstood(text: String, seconds: Int) {
        #expect(RetryAfter.duration(text, now: now) == .seconds(seconds))
    }

    @Test(arguments: ["", "soon", "-1", "1.5", "1 hour", "Sun, 06 Nov 1994"])
    func nothingElseIs(text: String) {
        #expect(RetryAfter.duration(text, now: now) == nil)
    }

    @Test func anAbsurdNumberIsAVeryLongTime() {
        #expect(RetryAfter.duration("99999999999999999999999", now: now) ?? .zero > .seconds(1_000_000))
    }

    // MARK: Policy

    @Test func theLastAttemptIsFollowedByNone() {
        #expect(policy.delay(afterFailures: 3, retryAfter: nil, timeLeft: nil, chance: 1) == .seconds(0.8))
        #expect(policy.delay(afterFailures: 4, retryAfter: nil, timeLeft: nil, chance: 1) == nil)
        #expect(RetryPolicy.never.delay(afterFailures: 1, retryAfter: nil, timeLeft: nil, chance: 0) == nil)
    }

    @Test func aServersWishIsTheLeastDelay() {
        #expect(
            policy.delay(afterFailures: 1, retryAfter: .seconds(5), timeLeft: nil, chance: 1) == .seconds(5)
        )
        #expect(
            policy.delay(afterFailures: 1, retryAfter: .zero, timeLeft: nil, chance: 1) == .milliseconds(200)
        )
        #expect(policy.delay(afterFailures: 1, retryAfter: .seconds(61), timeLeft: nil, chance: 1) == nil)
    }

    @Test func noDelayOutlastsTheDeadline() {
        #expect(
            policy.delay(afterFailures: 1, retryAfter: .seconds(5), timeLeft: .seconds(5), chance: 1) == nil
        )
        #expect(
            policy.delay(afterFailures: 1, retryAfter: .seconds(5), timeLeft: .seconds(6), chance: 1) != nil
        )
        #expect(policy.delay(afterFailures: 1, retryAfter: nil, timeLeft: .seconds(-1), chance: 0) == nil)
    }

    // MARK: Plan

    private func plan(repeatable: Bool = true, credentials: Bool = false) -> RequestPlan {
        RequestPlan(policy: policy, isRepeatable: repeatable, hasCredentials: credentials)
    }

    private func answered(_ plan: inout RequestPlan, _ status: Int) -> RequestPlan.Step {
        plan.answered(status: status, retryAfter: nil, timeLeft: nil, chance: 1)
    }

    @Test(arguments: [408, 421, 423, 425, 500, 502, 503, 504, 505, 507, 511, 522, 599])
    func transientStatusesAreRetriedThreeTimes(status: Int) {
        var plan = plan()
        let steps = (0..<4).map { _ in answered(&plan, status) }
        #expect(
            steps == [
                .retry(after: .seconds(0.2)), .retry(after: .seconds(0.4)), .retry(after: .seconds(0.8)),
                .deliver,
            ]
        )
    }

    @Test func aLimitWithoutAWordOfItsEndIsWaitedOutForASecondAtLeast() {
        var plan = plan()
        let unsaid = plan.answered(status: 429, retryAfter: nil, timeLeft: nil, chance: 0)
        #expect(unsaid == .retry(after: .seconds(1)))
        var other = self.plan()
        let jittered = other.answered(status: 429, retryAfter: nil, timeLeft: nil, chance: 0.5)
        #expect(jittered == .retry(after: .milliseconds(1_100)))
        let said = plan.answered(status: 429, retryAfter: .zero, timeLeft: nil, chance: 0.5)
        #expect(said == .retry(after: .seconds(0.2)))
    }

    @Test(arguments: [200, 204, 301, 304, 400, 401, 403, 404, 409, 410, 412, 413, 501, 600])
    func otherStatusesAreDelivered(status: Int) {
        var plan = plan()
        #expect(answered(&plan, status) == .deliver)
    }

    @Test func whatMustNotBeRepeatedIsDelivered() {
        var plan = plan(repeatable: false)
        #expect(answered(&plan, 503) == .deliver)
        let error = NetworkError(.closed, "")
        #expect(plan.failed(error, timeLeft: nil, chance: 1) == .deliver)
    }

    @Test(arguments: [NetworkError.Code.unreachable, .timedOut, .closed])
    func transientFailuresAreRetried(code: NetworkError.Code) {
        var plan = plan()
        #expect(plan.failed(NetworkError(code, ""), timeLeft: nil, chance: 1) == .retry(after: .seconds(0.2)))
        #expect(plan.attempt == 2)
    }

    @Test(arguments: [
        NetworkError.Code.tls, .cancelled, .tooLarge, .badAnswer, .protocolError, .invalidRequest,
        .credentials,
    ])
    func otherFailuresAreDelivered(code: NetworkError.Code) {
        var plan = plan()
        #expect(plan.failed(NetworkError(code, ""), timeLeft: nil, chance: 1) == .deliver)
    }

    @Test(arguments: [true, false]) func aFirst401RefreshesAndASecondIsFinal(repeatable: Bool) {
        var plan = plan(repeatable: repeatable, credentials: true)
        #expect(answered(&plan, 401) == .refresh)
        #expect(answered(&plan, 401) == .deliver)
    }

    @Test func aRefreshIsNoAttempt() {
        var plan = plan(credentials: true)
        #expect(answered(&plan, 503) == .retry(after: .seconds(0.2)))
        #expect(answered(&plan, 401) == .refresh)
        #expect(answered(&plan, 503) == .retry(after: .seconds(0.4)))
    }

    // MARK: Requests

    @Test func readsAndKeyedWritesAreRepeatable() {
        #expect(HTTPRequest("GET", "").isRepeatable && HTTPRequest("HEAD", "").isRepeatable)
        #expect(HTTPRequest("POST", "", isIdempotent: true).isRepeatable)
        #expect(HTTPRequest("POST", "", headers: ["idempotency-key": "k"]).isRepeatable)
        for method in ["POST", "PUT", "PATCH", "DELETE"] { #expect(!HTTPRequest(method, "").isRepeatable) }
    }
}
