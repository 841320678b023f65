import RemoteData
import Testing

@testable import RemoteDataBackends

/// What those who follow a table are told when it cannot be asked, or is another one.
@Suite struct KintoInterruptionTests {
    private static let made = KintoSubscriptions.Identity.stamp(Revision(500))
    private static let unreachable = RemoteDataError(.unreachable, "no")

    private func live(overlap: Duration = .zero, _ identity: KintoSubscriptions.Identity = made) throws
        -> KintoSubscriptions
    {
        var follower = KintoSubscriptions(overlap: overlap)
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        _ = follower.looked(1, identity, Revision(1000), at: .zero)
        _ = follower.answered(1, try .changes(revision: 1000), at: .zero)
        return follower
    }

    @Test func aDisconnectIsToldOnceAndNothingIsMissed() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        #expect(
            said(follower.failed(2, Self.unreachable, at: .seconds(5))) == [
                "1 interrupted unreachable", "wait 2 after 1",
            ]
        )
        _ = follower.due(2, at: .seconds(6))
        let busy = RemoteDataError(.unavailable, "", retryAfter: .seconds(3))
        #expect(said(follower.failed(3, busy, at: .seconds(6))) == ["wait 3 after 2 at least 3.0 seconds"])
        #expect(said(follower.due(3, at: .seconds(9))) == ["ask 4 since 1000"])
        let actions = follower.answered(4, try .changes("a1010", revision: 1010), at: .seconds(9))
        #expect(said(actions) == ["1 live 1000", "1 updated a 1010", "wait 4"])
        // Failures are counted anew.
        _ = follower.due(4, at: .seconds(14))
        #expect(said(follower.failed(5, Self.unreachable, at: .seconds(14))).last == "wait 5 after 1")
    }

    @Test func aDisconnectBetweenPagesRepeatsNothing() throws {
        var follower = try live(overlap: .milliseconds(100))
        _ = follower.due(1, at: .milliseconds(50))
        _ = follower.answered(
            2,
            try .changes("a1010 b1020", revision: 1030, hasMore: true),
            at: .milliseconds(50)
        )
        _ = follower.failed(2, Self.unreachable, at: .milliseconds(50))
        #expect(said(follower.due(2, at: .milliseconds(60))) == ["ask 3 since 900"])
        let actions = follower.answered(
            3,
            try .changes("a1010 b1020 c1030", revision: 1030),
            at: .milliseconds(60)
        )
        #expect(said(actions) == ["1 live 1020", "1 updated c 1030", "wait 3"])
    }

    @Test func whoWaitsForTheBeginningHearsOfTheDisconnect() throws {
        var follower = KintoSubscriptions(overlap: .zero)
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        #expect(
            said(follower.failed(1, Self.unreachable, at: .zero)) == [
                "1 interrupted unreachable", "wait 1 after 1",
            ]
        )
        #expect(said(follower.due(1, at: .seconds(1))) == ["look 2"])
        _ = follower.looked(2, Self.made, Revision(1000), at: .seconds(1))
        #expect(
            said(follower.answered(2, try .changes(revision: 1000), at: .seconds(1))) == [
                "1 live 1000", "wait 2",
            ]
        )
    }

    @Test(arguments: [RemoteDataError.Code.forbidden, .notFound, .unauthorized, .rejected])
    func aRefusalToBeginWithIsFinal(code: RemoteDataError.Code) throws {
        var follower = KintoSubscriptions(overlap: .zero)
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        let actions = follower.failed(1, RemoteDataError(code, "no"), at: .zero)
        #expect(said(actions) == ["1 interrupted \(code)", "1 finish", "stop"])
    }

    /// A server that has lost its memory refuses accounts, buckets and collections until somebody makes them again.
    @Test(arguments: [RemoteDataError.Code.forbidden, .notFound, .unauthorized])
    func whenATableIsThereAgainNothingIsTakenForGranted(code: RemoteDataError.Code) throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        #expect(
            said(follower.failed(2, RemoteDataError(code, "no"), at: .seconds(5))) == [
                "1 interrupted \(code)", "wait 2 after 1",
            ]
        )
        #expect(said(follower.due(2, at: .seconds(9))) == ["look 3"])
        #expect(said(follower.looked(3, Self.made, Revision(3000), at: .seconds(9))) == ["ask 3 since 3000"])
        #expect(
            said(follower.answered(3, try .changes(revision: 3000), at: .seconds(9))) == [
                "1 reset", "1 live 3000", "wait 3",
            ]
        )
    }

    @Test func anEndOfTheServerEndsTheFeed() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        let end = RemoteDataError(.rejected, "gone for good", status: 410)
        #expect(
            said(follower.failed(2, end, at: .seconds(5))) == ["1 interrupted rejected", "1 finish", "stop"]
        )
    }

    /// Such as a page of a network that wants to be signed in to.
    @Test(arguments: [RemoteDataError.Code.invalidAnswer, .invalidRequest, .tooLarge, .rejected])
    func anAnswerOfSomethingInBetweenEndsNothing(code: RemoteDataError.Code) throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        let actions = follower.failed(2, RemoteDataError(code, "no"), at: .seconds(5))
        #expect(said(actions) == ["1 interrupted \(code)", "wait 2 after 1"])
        #expect(said(follower.due(2, at: .seconds(6))) == ["ask 3 since 1000"])
        let next = follower.answered(3, try .changes("a1010", revision: 1010), at: .seconds(6))
        #expect(said(next) == ["1 live 1000", "1 updated a 1010", "wait 3"])
    }

    @Test func aServerThatWantsToBeLeftAloneIsNotAskedBefore() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        let error = RemoteDataError(.unavailable, "busy", retryAfter: .seconds(30))
        _ = follower.failed(2, error, at: .seconds(5))
        #expect(said(follower.note(Revision(1010), at: .seconds(20))) == [])
        #expect(said(follower.begin(2, Query(), since: nil, at: .seconds(30))) == [])
        #expect(said(follower.due(2, at: .seconds(36))) == ["ask 3 since 1000"])
    }

    @Test("A server that wants to be left alone for a day is asked after five minutes")
    func aDayIsFiveMinutes() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        let error = RemoteDataError(.unavailable, "busy", retryAfter: .seconds(86_400))
        _ = follower.failed(2, error, at: .seconds(5))
        #expect(said(follower.note(Revision(1010), at: .seconds(304))) == [])
        #expect(said(follower.note(Revision(1010), at: .seconds(305))) == ["look 3"])
    }

    @Test func aTableThatMovesWithoutAWordIsLookedAtOnceAndThenAsOftenAsUsual() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        _ = follower.answered(2, try .changes(revision: 1010), at: .seconds(5))
        _ = follower.looked(3, Self.made, Revision(1020), at: .seconds(5))
        let next = follower.answered(3, try .changes(revision: 1020), at: .seconds(5))
        #expect(said(next) == ["1 progress 1020", "wait 3"])
    }

    @Test func revisionsThatGoBackAgainAndAgainAreWaitedFor() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        #expect(said(follower.answered(2, try .changes(revision: 900), at: .seconds(5))) == ["look 3"])
        _ = follower.looked(3, Self.made, Revision(1000), at: .seconds(5))
        let next = follower.answered(3, try .changes(revision: 900), at: .seconds(5))
        #expect(said(next) == ["1 interrupted unavailable", "wait 3 after 1"])
    }

    @Test func aTableMadeAnewIsReset() throws {
        var follower = try live()
        // The look is a minute old.
        #expect(said(follower.due(1, at: .seconds(60))) == ["look 2"])
        let looked = follower.looked(2, .stamp(Revision(2000)), Revision(2010), at: .seconds(60))
        #expect(said(looked) == ["ask 2 since 2010"])
        let actions = follower.answered(2, try .changes(revision: 2010), at: .seconds(60))
        #expect(said(actions) == ["1 reset", "1 live 2010", "wait 2"])
        _ = follower.due(2, at: .seconds(65))
        let next = follower.answered(3, try .changes("a2020", revision: 2020), at: .seconds(65))
        #expect(said(next) == ["1 updated a 2020", "wait 3"])
    }

    @Test func aRevisionThatGoesBackIsReset() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        #expect(said(follower.answered(2, try .changes(revision: 900), at: .seconds(5))) == ["look 3"])
        _ = follower.looked(3, Self.made, Revision(900), at: .seconds(5))
        let actions = follower.answered(3, try .changes(revision: 900), at: .seconds(5))
        #expect(said(actions) == ["1 reset", "1 live 900", "wait 3"])
    }

    /// Kinto does not tell of removed rows to whoever may see single rows alone.
    @Test func whoMaySeeSingleRowsComparesAfterEachChange() throws {
        var follower = try live(.hidden)
        _ = follower.due(1, at: .seconds(5))
        let actions = follower.answered(2, try .changes("a1010", revision: 1020), at: .seconds(5))
        #expect(said(actions) == ["1 updated a 1010", "1 reset", "1 live 1020", "wait 2"])
        _ = follower.due(2, at: .seconds(10))
        #expect(said(follower.answered(3, try .changes(revision: 1020), at: .seconds(10))) == ["wait 3"])
        _ = follower.begin(2, Query(), since: Revision(1010), at: .seconds(11))
        #expect(
            said(follower.answered(4, try .changes("b1015", revision: 1020), at: .seconds(11))).prefix(2) == [
                "2 reset", "2 live 1020",
            ]
        )
    }

    @Test func aServerThatSendsNothingNewIsNotAskedForEver() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        let actions = follower.answered(2, try .changes(revision: 1010, hasMore: true), at: .seconds(5))
        #expect(said(actions) == ["1 interrupted invalid answer", "wait 2 after 1"])
    }
}
