import Testing

@testable import RemoteDataBackends

@Suite struct KintoLoginTests {
    @Test func anAnswerHoldsForAMinute() {
        var login = KintoLogin()
        #expect(login.isInDoubt(at: .zero))
        login.confirm(login.question, at: .seconds(5))
        #expect(!login.isInDoubt(at: .seconds(64)))
        #expect(login.isInDoubt(at: .seconds(65)))
    }

    @Test func anAnswerToWhatWasAskedBeforeADoubtIsNone() {
        var login = KintoLogin()
        let question = login.question
        login.doubt()
        login.confirm(question, at: .seconds(5))
        #expect(login.isInDoubt(at: .seconds(6)))
        login.confirm(login.question, at: .seconds(7))
        #expect(!login.isInDoubt(at: .seconds(8)))
        login.doubt()
        #expect(login.isInDoubt(at: .seconds(8)))
    }
}
