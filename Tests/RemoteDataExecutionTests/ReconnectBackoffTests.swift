import RemoteDataExecution
import Testing

@Suite struct ReconnectBackoffTests {
    private enum Event: CaseIterable { case opened, worked, ended }

    /// The delays that follow the given events; each takes 300 ms.
    private func delays(_ events: [Event]) -> [Duration] {
        var backoff = ReconnectBackoff()
        return events.enumerated().compactMap { index, event in
            let now = Duration.milliseconds(300 * index)
            switch event {
            case .opened: backoff.opened(at: now)
            case .worked: backoff.worked()
            case .ended: return backoff.ended(at: now, chance: 1)
            }
            return nil
        }
    }

    @Test("Only a connection that is open and has worked resets the delays")
    func onlyWorkingConnectionsReset() {
        #expect(delays([.ended, .ended, .ended]) == [200, 400, 800].map { .milliseconds($0) })
        #expect(delays([.ended, .opened, .ended, .ended]) == [200, 400, 800].map { .milliseconds($0) })
        #expect(delays([.ended, .worked, .ended, .ended]) == [200, 400, 800].map { .milliseconds($0) })
        let working: [Event] = [.ended, .ended, .opened, .worked, .ended]
        #expect(delays(working) == [200, 400, 0].map { .milliseconds($0) })
        #expect(delays(working + [.ended, .ended]) == [200, 400, 0, 200, 400].map { .milliseconds($0) })
    }

    @Test("What worked counts for its own connection alone")
    func workCountsForItsConnection() {
        let events: [Event] = [.opened, .worked, .ended, .opened, .ended, .opened, .worked, .opened, .ended]
        #expect(delays(events) == [0, 200, 200].map { .milliseconds($0) })
    }

    @Test("Short connections wait longer each time, until one lasts a second")
    func shortConnectionsWaitLonger() {
        let short: [Event] = [.opened, .worked, .ended]
        let long: [Event] = [.opened, .worked, .worked, .worked, .worked, .ended]
        #expect(
            delays(short + short + short + long + short + short)
                == [0, 50, 100, 0, 0, 50].map { .milliseconds($0) }
        )
    }

    @Test("A failed attempt between short connections does not reset them", arguments: [1, 5])
    func failuresDoNotResetShortConnections(failures: Int) {
        let short: [Event] = [.opened, .worked, .ended]
        let away = Array(repeating: Event.ended, count: failures)
        #expect(delays(short + short + away + short).last == .milliseconds(100))
    }

    @Test("After refused credentials the delays grow to a minute, for the attempt alone that they ended")
    func refusedCredentialsWaitLonger() {
        var backoff = ReconnectBackoff()
        let delays = (0..<11).map { _ in
            backoff.refused()
            return backoff.ended(at: .zero, chance: 1)
        }
        #expect(delays[4] == .milliseconds(3_200) && delays[5] == .milliseconds(6_400))
        #expect(delays.last == .seconds(60))
        #expect(backoff.ended(at: .zero, chance: 1) == .seconds(5))
        backoff.opened(at: .zero)
        backoff.worked()
        backoff.refused()
        #expect(backoff.ended(at: .seconds(1), chance: 1) == .zero)
    }

    @Test("Connections that are given up wait longer each time, although they worked")
    func connectionsGivenUpWaitLonger() {
        var backoff = ReconnectBackoff()
        let delays = (0..<7).map { number in
            backoff.opened(at: .seconds(10 * number))
            backoff.worked()
            backoff.givenUp()
            return backoff.ended(at: .seconds(10 * number + 5), chance: 1)
        }
        #expect(delays == [200, 400, 800, 1_600, 3_200, 5_000, 5_000].map { .milliseconds($0) })
        backoff.opened(at: .seconds(100))
        backoff.worked()
        #expect(backoff.ended(at: .seconds(105), chance: 1) == .zero)
        #expect(backoff.ended(at: .seconds(106), chance: 1) == .milliseconds(200))
    }

    @Test("A delay is at least the server's wish, and five seconds at most without one", arguments: 0..<200)
    func delaysAreBounded(seed: Int) {
        var backoff = ReconnectBackoff()
        for step in 0..<100 {
            let now = Duration.milliseconds(step * 70)
            let number = (step &* 7_919 &+ seed &* 104_729) % 11
            if number < 3 { backoff.opened(at: now) }
            if number < 6 { backoff.worked() }
            let wish = number == 10 ? Duration.seconds(9) : nil
            if number > 2 {
                let delay = backoff.ended(at: now, atLeast: wish, chance: Double(number) / 11)
                #expect(delay >= wish ?? .zero && delay <= wish ?? .seconds(5))
            }
            #expect(backoff.attempt >= 1)
        }
    }
}
