import Testing

@testable import RemoteData

@Suite struct BackoffTests {
    @Test func theCeilingDoublesUpToTheLimit() {
        let backoff = Backoff(base: .milliseconds(100), limit: .seconds(1))
        #expect((0..<6).map { backoff.ceiling($0) } == [100, 200, 400, 800, 1_000, 1_000].map { .milliseconds($0) })
        #expect(backoff.ceiling(-1) == .milliseconds(100))
        #expect(backoff.ceiling(.max) == .seconds(1))
    }

    @Test func theWaitIsAShareOfTheCeiling() {
        let backoff = Backoff(base: .milliseconds(100), limit: .seconds(1))
        #expect(backoff.wait(2, random: 0) == .zero)
        #expect(backoff.wait(2, random: 0.5) == .milliseconds(200))
        #expect(backoff.wait(2, random: 1) == .milliseconds(400))
    }

    @Test func theWaitIsAtLeastWhatTheServerAsksFor() {
        let error = RemoteDataError(.rateLimited, "Too many.", retryAfter: .seconds(7))
        #expect(Backoff().wait(0, after: error, random: 0.5) == .seconds(7))
        let short = RemoteDataError(.rateLimited, "Too many.", retryAfter: .milliseconds(1))
        #expect(Backoff().wait(3, after: short, random: 1) == .milliseconds(1_600))
    }
}
