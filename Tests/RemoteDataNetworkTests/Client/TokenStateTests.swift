import Testing

@testable import RemoteDataNetwork

@Suite struct TokenStateTests {
    private typealias Token = TokenState.Token

    @Test func theFirstAsksAndTheOthersWait() {
        var state = TokenState()
        #expect(state.wanted(rejecting: nil) == .ask(.needed, round: 1))
        #expect(state.wanted(rejecting: nil) == .wait)
        #expect(state.answered("a", round: 1) == Token(text: "a", generation: 1))
        #expect(state.wanted(rejecting: nil) == .use(Token(text: "a", generation: 1)))
        #expect(state.current(rejecting: nil) == Token(text: "a", generation: 1))
    }

    @Test func aRejectionAsksOnceForAllWhoHadTheSame() {
        var state = TokenState()
        _ = state.wanted(rejecting: nil)
        _ = state.answered("a", round: 1)
        #expect(state.current(rejecting: 1) == nil)
        #expect(state.wanted(rejecting: 1) == .ask(.rejected, round: 2))
        #expect(state.wanted(rejecting: 1) == .wait)
        #expect(state.wanted(rejecting: nil) == .wait)
        _ = state.answered("b", round: 2)
        // A late rejection of the old ones does not ask again.
        #expect(state.wanted(rejecting: 1) == .use(Token(text: "b", generation: 2)))
    }

    @Test func noCredentialsAreAnAnswerToo() {
        var state = TokenState()
        _ = state.wanted(rejecting: nil)
        #expect(state.answered(nil, round: 1) == Token(text: nil, generation: 1))
        #expect(state.wanted(rejecting: nil) == .use(Token(text: nil, generation: 1)))
    }

    @Test func aFailureIsNotKept() {
        var state = TokenState()
        _ = state.wanted(rejecting: nil)
        let counts = state.failed(round: 1)
        #expect(counts)
        #expect(state.wanted(rejecting: nil) == .ask(.needed, round: 2))
    }

    @Test func whatComesTooLateIsIgnored() {
        var state = TokenState()
        _ = state.wanted(rejecting: nil)
        _ = state.failed(round: 1)
        _ = state.wanted(rejecting: nil)
        #expect(state.answered("late", round: 1) == nil)
        let counts = state.failed(round: 1)
        #expect(!counts)
        #expect(state.answered("now", round: 2) == Token(text: "now", generation: 1))
    }

    @Test func afterARejectionAFailedQuestionStaysARejection() {
        var state = TokenState()
        _ = state.wanted(rejecting: nil)
        _ = state.answered("a", round: 1)
        _ = state.wanted(rejecting: 1)
        _ = state.failed(round: 2)
        #expect(state.wanted(rejecting: nil) == .ask(.rejected, round: 3))
    }

    @Test("Renewing asks once, and leaves an open question and newer credentials alone")
    func renewingAsksOnce() {
        var state = TokenState()
        _ = state.wanted(rejecting: nil)
        state.renew(state.generation)
        #expect(state.wanted(rejecting: nil) == .wait)
        _ = state.answered("a", round: 1)
        let generation = state.generation
        state.renew(generation)
        #expect(state.current(rejecting: nil) == nil)
        #expect(state.wanted(rejecting: nil) == .ask(.needed, round: 2))
        for last in [generation, state.generation] {
            state.renew(last)
            #expect(state.wanted(rejecting: nil) == .wait)
        }
        let token = state.answered("b", round: 2)
        #expect(token?.text == "b")
        state.renew(generation)
        #expect(state.current(rejecting: nil) == token)
    }

    @Test func forgettingAsksAnew() {
        var state = TokenState()
        _ = state.wanted(rejecting: nil)
        _ = state.answered("a", round: 1)
        state.forget()
        #expect(state.current(rejecting: nil) == nil)
        #expect(state.wanted(rejecting: nil) == .ask(.needed, round: 3))
    }

    @Test func anAnswerToAForgottenQuestionIsIgnored() {
        var state = TokenState()
        _ = state.wanted(rejecting: nil)
        state.forget()
        #expect(state.answered("old user", round: 1) == nil)
        let counts = state.failed(round: 1)
        #expect(!counts)
        guard case .ask(.needed, let round) = state.wanted(rejecting: nil) else {
            Issue.record("nobody asks")
            return
        }
        #expect(state.answered("old user", round: 1) == nil)
        #expect(state.answered("new user", round: round)?.text == "new user")
    }

    @Test func afterForgettingNothingIsRejected() {
        var state = TokenState()
        _ = state.wanted(rejecting: nil)
        _ = state.answered("a", round: 1)
        _ = state.wanted(rejecting: 1)
        state.forget()
        guard case .ask(let reason, _) = state.wanted(rejecting: 1) else {
            Issue.record("nobody asks")
            return
        }
        #expect(reason == .needed)
    }
}
