import Testing

@testable import RemoteDataNetwork

@Suite struct SessionStateTests {
    typealias Phase = SessionState.Phase
    typealias Event = @Sendable (inout SessionState) -> Void

    /// Every event there is.
    static let events: [String: Event] = [
        "began": { $0.began() },
        "connected": { $0.connected(now: .seconds(100)) },
        "abandoned": { $0.abandoned() },
        "failed": { $0.failed(NetworkError(.unreachable, ""), chance: 1) },
        "refused": { $0.failed(NetworkError(.refused, "", status: 403), chance: 1) },
        "unauthorized": { $0.failed(NetworkError(.refused, "", status: 401), chance: 1) },
        "lost": { $0.lost(now: .seconds(101), chance: 1) },
        "announced": { $0.announced() },
        "waited": { $0.waited() },
        "closed": { $0.closed() },
    ]

    /// How each state is reached, from the beginning.
    static let paths: [String: [String]] = [
        "idle": [],
        "connecting": ["began"],
        "open": ["began", "connected"],
        "delayed": ["began", "failed"],
        "waiting": ["began", "failed", "announced"],
        "renewing": ["began", "unauthorized"],
        "ended": ["closed"],
    ]

    /// What each state becomes by each event; what is not here leaves it as it is.
    static let changes: [String: [String: Phase]] = [
        "idle": ["began": .connecting],
        "connecting": [
            "connected": .open(since: .seconds(100)), "abandoned": .idle(.needed),
            "failed": .delayed(attempt: 1, after: .milliseconds(200)), "refused": .ended,
            "unauthorized": .idle(.rejected),
        ],
        "open": ["lost": .delayed(attempt: 1, after: .milliseconds(200))],
        "delayed": ["announced": .waiting(after: .milliseconds(200))],
        "waiting": ["waited": .idle(.needed)],
        "renewing": ["began": .connecting],
        "ended": [:],
    ]

    private func state(_ path: [String]) throws -> SessionState {
        var state = SessionState(SessionOptions())
        for event in path {
            let change = try #require(Self.events[event])
            change(&state)
        }
        return state
    }

    @Test(arguments: paths.keys.sorted(), events.keys.sorted())
    func everyEventInEveryState(name: String, event: String) throws {
        var state = try state(try #require(Self.paths[name]))
        let before = state.phase
        let change = try #require(Self.events[event])
        change(&state)
        let expected = event == "closed" ? Phase.ended : Self.changes[name]?[event] ?? before
        #expect(state.phase == expected)
    }

    @Test func theWaitsGrowUpToAMinute() throws {
        var state = try state([])
        var waits: [Duration] = []
        for _ in 0..<12 {
            state.began()
            state.failed(NetworkError(.unreachable, ""), chance: 1)
            guard case .delayed(_, let wait) = state.phase else { break }
            waits.append(wait)
            state.announced()
            state.waited()
        }
        #expect(waits.prefix(3) == [.milliseconds(200), .milliseconds(400), .milliseconds(800)])
        #expect(waits.last == .seconds(60))
    }

    private func reconnect(after lifetime: Duration) throws -> Phase {
        var state = try state([
            "began", "failed", "announced", "waited", "began", "failed", "announced", "waited", "began",
        ])
        state.connected(now: .zero)
        state.lost(now: lifetime, chance: 1)
        return state.phase
    }

    @Test func aStableConnectionMakesTheWaitsSmallAgain() throws {
        #expect(try reconnect(after: .seconds(30)) == .delayed(attempt: 1, after: .milliseconds(200)))
        #expect(try reconnect(after: .seconds(29)) == .delayed(attempt: 3, after: .milliseconds(800)))
    }

    @Test func aSecond401EndsTheSessionButNotAfterSuccess() throws {
        #expect(try state(["began", "unauthorized", "began", "unauthorized"]).hasEnded)
        let later = [
            "began", "unauthorized", "began", "connected", "lost", "announced", "waited", "began",
            "unauthorized",
        ]
        #expect(try state(later).phase == .idle(.rejected))
    }

    @Test func theServersWishIsTheLeastWait() throws {
        var state = try state(["began"])
        state.failed(NetworkError(.refused, "", status: 503, retryAfter: .seconds(9)), chance: 1)
        #expect(state.phase == .delayed(attempt: 1, after: .seconds(9)))
    }

    @Test(arguments: [
        400: true, 403: true, 404: true, 426: true, 408: false, 429: false, 500: false, 503: false,
        301: false,
    ])
    func onlyRefusalsForGoodEndTheSession(status: Int, isFinal: Bool) throws {
        var state = try state(["began"])
        state.failed(NetworkError(.refused, "", status: status), chance: 0)
        #expect(state.hasEnded == isFinal)
    }

    @Test(arguments: [NetworkError.Code.timedOut, .tls, .closed, .badAnswer, .unreachable, .protocolError])
    func otherFailuresAreTriedAgain(code: NetworkError.Code) throws {
        var state = try state(["began"])
        state.failed(NetworkError(code, ""), chance: 0)
        #expect(!state.hasEnded)
    }
}
