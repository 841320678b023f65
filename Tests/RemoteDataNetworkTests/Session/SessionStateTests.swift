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
        "worked": { $0.worked() },
        "given up": { $0.givenUp() },
        "refused over it": { $0.refused() },
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
        "working": ["began", "connected", "worked"],
        "delayed": ["began", "failed"],
        "waiting": ["began", "failed", "announced"],
        "renewing": ["began", "unauthorized"],
        "ended": ["closed"],
    ]

    /// What each state becomes by each event; what is not here leaves it as it is.
    static let changes: [String: [String: Phase]] = [
        "idle": ["began": .connecting],
        "connecting": [
            "connected": .open, "abandoned": .idle(.needed),
            "failed": .delayed(attempt: 1, after: .milliseconds(200)), "refused": .ended,
            "unauthorized": .idle(.rejected),
        ],
        "open": ["lost": .delayed(attempt: 1, after: .milliseconds(200))],
        "working": ["lost": .delayed(attempt: 1, after: .zero)],
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

    @Test("The waits grow to five seconds")
    func theWaitsGrowToFiveSeconds() throws {
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
        #expect(waits.last == .seconds(5))
    }

    /// The waits of a session whose connections last so long, after two failures.
    private func waits(_ lifetimes: [Duration], _ events: Event...) throws -> [Duration] {
        var state = try state(["began", "failed", "announced", "waited", "began", "failed"])
        return lifetimes.map { lifetime in
            for event in ["announced", "waited", "began"] { Self.events[event]?(&state) }
            state.connected(now: .zero)
            for event in events { event(&state) }
            state.lost(now: lifetime, chance: 1)
            guard case .delayed(_, let wait) = state.phase else { return .seconds(-1) }
            return wait
        }
    }

    @Test("A connection that has worked is made again at once")
    func workingConnectionsReconnectAtOnce() throws {
        let lifetimes: [Duration] = [
            .seconds(1), .seconds(1), .seconds(3_600), .seconds(2), .milliseconds(1),
        ]
        #expect(try waits(lifetimes) { $0.worked() } == Array(repeating: .zero, count: 5))
    }

    @Test("A connection that ends before it works is a failure, however long it lasts")
    func idleConnectionsAreFailures() throws {
        let lifetimes: [Duration] = [.milliseconds(1), .seconds(3_600), .zero, .zero]
        #expect(
            try waits(lifetimes) == [
                .milliseconds(800), .milliseconds(1_600), .milliseconds(3_200), .seconds(5),
            ]
        )
    }

    @Test("Connections that work for an instant, one after another, wait a second at most")
    func shortConnectionsWaitASecondAtMost() throws {
        let waits = try waits(Array(repeating: .milliseconds(999), count: 9)) { $0.worked() }
        #expect(waits == [0, 50, 100, 200, 400, 800, 1_000, 1_000, 1_000].map { .milliseconds($0) })
    }

    @Test("The server's wish is kept after a connection that has worked")
    func wishesHoldAfterWork() throws {
        var state = try state(["began", "connected", "worked"])
        state.lost(now: .seconds(500), atLeast: .seconds(7), chance: 1)
        #expect(state.phase == .delayed(attempt: 1, after: .seconds(7)))
        #expect(state.leastDelay == .seconds(7))
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

    @Test("A wait after a refusal of the server itself heeds no answers", arguments: [nil, 429, 500, 503])
    func refusalsHeedNoAnswers(status: Int?) throws {
        var state = try state(["began"])
        state.failed(NetworkError(.refused, "", status: status), chance: 1)
        #expect(state.heedsAnswers == (status == nil || status == 503))
        state = try self.state(["began", "connected", "refused over it", "lost"])
        #expect(!state.heedsAnswers)
        state = try self.state(["began", "connected", "refused over it", "lost", "announced", "waited"])
        state.began()
        state.connected(now: .seconds(9))
        #expect(state.heedsAnswers)
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
