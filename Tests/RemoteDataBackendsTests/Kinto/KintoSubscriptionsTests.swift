import RemoteData
import Testing

@testable import RemoteDataBackends

@Suite struct KintoSubscriptionsTests {
    private static let made = KintoSubscriptions.Identity.stamp(Revision(500))

    /// One that is followed by subscriber 1, live at revision 1000, and waits for its second round.
    private func live(overlap: Duration = .zero) throws -> KintoSubscriptions {
        var follower = KintoSubscriptions(overlap: overlap)
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        _ = follower.looked(1, Self.made, Revision(1000), at: .zero)
        _ = follower.answered(1, try .changes(revision: 1000), at: .zero)
        return follower
    }

    @Test func aFirstSubscriberHasTheTableLookedAt() throws {
        var follower = KintoSubscriptions(overlap: .zero)
        #expect(said(follower.begin(1, Query(), since: nil, at: .zero)) == ["look 1"])
        #expect(said(follower.looked(1, Self.made, Revision(1000), at: .zero)) == ["ask 1 since 1000"])
        #expect(
            said(follower.answered(1, try .changes(revision: 1000), at: .zero)) == ["1 live 1000", "wait 1"]
        )
    }

    @Test func changesAreToldInTheOrderOfTheirRevisions() throws {
        var follower = try live()
        #expect(said(follower.due(1, at: .seconds(5))) == ["ask 2 since 1000"])
        let actions = follower.answered(2, try .changes("a1010 -b1020", revision: 1020), at: .seconds(5))
        #expect(said(actions) == ["1 updated a 1010", "1 deleted b 1020", "wait 2"])
        _ = follower.due(2, at: .seconds(10))
        #expect(said(follower.answered(3, try .changes(revision: 1020), at: .seconds(10))) == ["wait 3"])
    }

    @Test func moreThanAPageIsAskedForBehindTheLast() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        let first = follower.answered(
            2,
            try .changes("a1010 b1020", revision: 1040, hasMore: true),
            at: .seconds(5)
        )
        #expect(said(first) == ["1 updated a 1010", "1 updated b 1020", "ask 2 since 1020"])
        // It has gone on meanwhile: the first page's revision is what all of it is told as of.
        let second = follower.answered(2, try .changes("c1030 a1050", revision: 1060), at: .seconds(5))
        #expect(said(second) == ["1 updated c 1030", "1 updated a 1050", "wait 2"])
        #expect(said(follower.due(2, at: .seconds(10))) == ["ask 3 since 1050"])
    }

    @Test func aRevisionWithoutARowIsProgressOnce() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        // And a reason to look whether it is still the same table.
        #expect(
            said(follower.answered(2, try .changes(revision: 1050), at: .seconds(5))) == [
                "1 progress 1050", "look 3",
            ]
        )
        #expect(said(follower.looked(3, Self.made, Revision(1050), at: .seconds(5))) == ["ask 3 since 1050"])
        #expect(said(follower.answered(3, try .changes(revision: 1050), at: .seconds(5))) == ["wait 3"])
    }

    @Test func whatDoesNotConcernAClauseIsProgress() throws {
        var follower = KintoSubscriptions(overlap: .zero)
        _ = follower.begin(1, Query(try Where("n > 5")), since: nil, at: .zero)
        _ = follower.looked(1, Self.made, Revision(1000), at: .zero)
        _ = follower.answered(1, try .changes(revision: 1000), at: .zero)
        _ = follower.due(1, at: .seconds(5))
        let rows = [#"{"id":"a","last_modified":1010,"n":6}"#, #"{"id":"b","last_modified":1020,"n":5}"#]
        let actions = follower.answered(2, try KintoShelf.list(rows, revision: 1020), at: .seconds(5))
        #expect(said(actions) == ["1 updated a 1010", "1 left b 1020", "wait 2"])
    }
}

// MARK: - Late changes

extension KintoSubscriptionsTests {
    @Test func whatComesToLightLateHasNoRevision() throws {
        var follower = try live(overlap: .milliseconds(100))
        #expect(said(follower.due(1, at: .milliseconds(50))) == ["ask 2 since 900"])
        _ = follower.answered(2, try .changes("a1010", revision: 1010), at: .milliseconds(50))
        #expect(said(follower.due(2, at: .milliseconds(100))) == ["ask 3 since 910"])
        // It was stamped earlier, and its transaction ended later.
        let actions = follower.answered(
            3,
            try .changes("late1005 a1010 b1020", revision: 1020),
            at: .milliseconds(100)
        )
        #expect(said(actions) == ["1 updated late -", "1 updated b 1020", "wait 3"])
        _ = follower.due(3, at: .milliseconds(150))
        let again = follower.answered(
            4,
            try .changes("late1005 a1010 b1020", revision: 1020),
            at: .milliseconds(150)
        )
        #expect(said(again) == ["wait 4"])
    }

    @Test func whatWasThereBeforeIsNotTold() throws {
        var follower = KintoSubscriptions(overlap: .milliseconds(100))
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        #expect(said(follower.looked(1, Self.made, Revision(1000), at: .zero)) == ["ask 1 since 900"])
        let first = follower.answered(1, try .changes("a950 b1000", revision: 1000), at: .zero)
        #expect(said(first) == ["1 live 1000", "wait 1"])
        _ = follower.due(1, at: .milliseconds(50))
        let second = follower.answered(
            2,
            try .changes("a950 late960 b1000", revision: 1000),
            at: .milliseconds(50)
        )
        #expect(said(second) == ["1 updated late -", "wait 2"])
    }

    @Test func aRowThatChangesAgainIsToldAgain() throws {
        var follower = try live(overlap: .milliseconds(100))
        _ = follower.due(1, at: .milliseconds(50))
        _ = follower.answered(2, try .changes("a1010", revision: 1010), at: .milliseconds(50))
        _ = follower.due(2, at: .milliseconds(100))
        let actions = follower.answered(3, try .changes("-a1020", revision: 1020), at: .milliseconds(100))
        #expect(said(actions) == ["1 deleted a 1020", "wait 3"])
    }

    /// What is stamped so early has come to light by then: it need not be listed for ever.
    @Test func whereNothingChangesForLongNothingComesLate() throws {
        var follower = try live(overlap: .milliseconds(100))
        #expect(said(follower.due(1, at: .milliseconds(99))) == ["ask 2 since 900"])
        _ = follower.answered(2, try .changes(revision: 1000), at: .milliseconds(110))
        #expect(said(follower.due(2, at: .milliseconds(110))) == ["ask 3 since 900"])
        _ = follower.answered(3, try .changes(revision: 1000), at: .milliseconds(110))
        #expect(said(follower.due(3, at: .milliseconds(120))) == ["ask 4 since 1000"])
        _ = follower.answered(4, try .changes("a1050", revision: 1050), at: .milliseconds(500))
        #expect(said(follower.due(4, at: .milliseconds(599))) == ["ask 5 since 950"])
        // What was told before is still known.
        let actions = follower.answered(
            5,
            try .changes("late1020 a1050", revision: 1050),
            at: .milliseconds(599)
        )
        #expect(said(actions) == ["1 updated late -", "wait 5"])
        #expect(said(follower.due(5, at: .milliseconds(600))) == ["ask 6 since 950"])
    }

    @Test func whileNobodyCouldAskSomethingMayHaveComeLate() throws {
        var follower = try live(overlap: .milliseconds(100))
        _ = follower.due(1, at: .milliseconds(50))
        _ = follower.failed(2, RemoteDataError(.unreachable, ""), at: .milliseconds(50))
        #expect(said(follower.due(2, at: .seconds(30))) == ["ask 3 since 900"])
        let actions = follower.answered(3, try .changes("late990", revision: 1000), at: .seconds(30))
        #expect(said(actions) == ["1 live 1000", "1 updated late -", "wait 3"])
    }

    @Test func whatIsRememberedIsBounded() throws {
        var recent = KintoRecentChanges(.seconds(100))
        let count = KintoRecentChanges.limit + 500
        for number in 0..<count { recent.note(.text("r\(number)"), Revision(Int64(1_000_000 + number))) }
        recent.forget(upTo: Revision(1_000_000 + Int64(count)))
        #expect(
            (0..<count).count { recent.holds(.text("r\($0)"), Revision(Int64(1_000_000 + $0))) }
                == KintoRecentChanges.limit
        )
        recent.forget(upTo: Revision(1_200_000))
        #expect((0..<count).count { recent.holds(.text("r\($0)"), Revision(Int64(1_000_000 + $0))) } == 0)
    }
}

// MARK: - Who comes when

extension KintoSubscriptionsTests {
    @Test func whoComesDuringARoundWaitsForTheNext() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        #expect(said(follower.begin(2, Query(), since: nil, at: .seconds(5))).isEmpty)
        let actions = follower.answered(2, try .changes("a1010", revision: 1010), at: .seconds(5))
        #expect(said(actions) == ["1 updated a 1010", "ask 3 since 1010"])
        #expect(
            said(follower.answered(3, try .changes(revision: 1010), at: .seconds(5))) == [
                "2 live 1010", "wait 3",
            ]
        )
    }

    @Test func whoResumesIsToldWhatItMissed() throws {
        var follower = try live(overlap: .milliseconds(100))
        // From an earlier revision than the others, a little more than that.
        #expect(
            said(follower.begin(2, Query(), since: Revision(700), at: .seconds(1))) == ["ask 2 since 600"]
        )
        let first = follower.answered(
            2,
            try .changes("a650 b750 c800", revision: 1010, hasMore: true),
            at: .seconds(1)
        )
        #expect(
            said(first) == [
                "2 live 700", "2 updated a -", "2 updated b 750", "2 updated c 800", "ask 2 since 800",
            ]
        )
        let second = follower.answered(2, try .changes("d1010", revision: 1010), at: .seconds(1))
        #expect(said(second) == ["1 updated d 1010", "2 updated d 1010", "wait 2"])
    }

    @Test func whoResumesWhereItIsGetsNothing() throws {
        var follower = try live()
        _ = follower.begin(2, Query(), since: Revision(1000), at: .seconds(1))
        #expect(
            said(follower.answered(2, try .changes(revision: 1000), at: .seconds(1))) == [
                "2 live 1000", "wait 2",
            ]
        )
    }

    /// From a revision that is not given yet, and from before the table was made, if it was: its description may have changed.
    @Test(arguments: [1001, 499]) func whoCannotResumeIsReset(since: Int64) throws {
        var follower = try live()
        _ = follower.begin(2, Query(), since: Revision(since), at: .seconds(1))
        #expect(
            said(follower.answered(2, try .changes(revision: 1000), at: .seconds(1))) == [
                "2 reset", "2 live 1000", "wait 2",
            ]
        )
    }

    @Test func aNewerRevisionThatIsSeenElsewhereIsAskedForAtOnce() throws {
        var follower = try live()
        #expect(said(follower.note(Revision(1000), at: .seconds(1))).isEmpty)
        #expect(said(follower.note(Revision(1010), at: .seconds(1))) == ["ask 2 since 1000"])
        #expect(said(follower.note(Revision(1020), at: .seconds(1))).isEmpty)
        let actions = follower.answered(2, try .changes("a1010", revision: 1010), at: .seconds(1))
        #expect(said(actions) == ["1 updated a 1010", "ask 3 since 1010"])
        // Once for each that was seen, whatever comes of it.
        #expect(said(follower.answered(3, try .changes(revision: 1010), at: .seconds(1))) == ["wait 3"])
        #expect(said(follower.due(1, at: .seconds(5))).isEmpty)
    }

    @Test func whenNobodyFollowsNothingIsAsked() throws {
        var follower = try live()
        #expect(said(follower.end(1)) == ["stop"])
        #expect(said(follower.due(1, at: .seconds(5))).isEmpty)
        #expect(said(follower.note(Revision(2000), at: .seconds(5))).isEmpty)
        #expect(said(follower.begin(2, Query(), since: nil, at: .seconds(9))) == ["look 3"])
    }

    @Test func answersToEarlierRoundsArePassedOver() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        _ = follower.end(1)
        _ = follower.begin(2, Query(), since: nil, at: .seconds(5))
        #expect(said(follower.answered(2, try .changes("a1010", revision: 1010), at: .seconds(5))).isEmpty)
        #expect(said(follower.looked(2, Self.made, Revision(1), at: .seconds(5))).isEmpty)
        #expect(said(follower.failed(2, RemoteDataError(.unreachable, ""), at: .seconds(5))).isEmpty)
    }
}
