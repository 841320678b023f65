import RemoteData
import Testing

@testable import RemoteDataBackends

/// Rows whose changes have stamps of the past, so that no list of changes has them.
@Suite struct KintoAuditTests {
    private static let made = KintoSubscriptions.Identity.stamp(Revision(500))

    /// All rows: `a700` is one that was changed at 700.
    private func look(_ words: String, next: RowID? = nil, count: Int? = nil) throws -> RowAudit.Look {
        let rows = try KintoList.changes(words, revision: 1_000).rows
        return RowAudit.Look(
            count: count ?? rows.count,
            sample: rows.map { ($0.id, $0.revision?.rawValue ?? 0) },
            isWhole: count == nil,
            next: next
        )
    }

    /// One that is followed by subscriber 1 at revision 1000, has two rows, and waits for its second round.
    private func live() throws -> KintoSubscriptions {
        var follower = KintoSubscriptions(overlap: .zero, lookAge: .seconds(60))
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        _ = follower.looked(1, Self.made, Revision(1000), try look("a700 b1000"), at: .zero)
        _ = follower.answered(1, try .changes(revision: 1000), at: .zero)
        return follower
    }

    /// The next look, a minute later, and what comes of it.
    private func look(
        _ follower: inout KintoSubscriptions,
        _ words: String,
        changes: String = "",
        revision: Int = 1_000
    ) throws -> [String] {
        #expect(said(follower.due(1, at: .seconds(60))) == ["look 2"])
        let begin = follower.looked(
            2,
            Self.made,
            Revision(Int64(revision)),
            try look(words),
            at: .seconds(60)
        )
        #expect(said(begin) == ["ask 2 since 1000"])
        return said(follower.answered(2, try .changes(changes, revision: revision), at: .seconds(60)))
    }

    @Test("Rows that changes explain cause no reset") func whatChangesExplainIsNoNews() throws {
        var follower = try live()
        #expect(try look(&follower, "a700 b1000") == ["wait 2"])
        var other = try live()
        let told = try look(&other, "a700 b1000 c1010", changes: "c1010", revision: 1010)
        #expect(told == ["1 updated c 1010", "wait 2"])
    }

    @Test("A row created with a stamp of the past is found") func anImportedRowIsFound() throws {
        var follower = try live()
        #expect(try look(&follower, "a700 b1000 old10") == ["1 reset", "1 live 1000", "wait 2"])
        #expect(said(follower.due(2, at: .seconds(120))) == ["look 3"])
        _ = follower.looked(3, Self.made, Revision(1000), try look("a700 b1000 old10"), at: .seconds(120))
        #expect(said(follower.answered(3, try .changes(revision: 1000), at: .seconds(120))) == ["wait 3"])
    }

    @Test("It is found among other changes") func anImportedRowIsFoundAmongChanges() throws {
        var follower = try live()
        let told = try look(&follower, "b1010 c1020 old10", changes: "b1010 c1020 -a1030", revision: 1030)
        #expect(told.contains("1 reset"))
    }

    @Test("A row removed with a stamp of the past is found") func aRemovalLongPastIsFound() throws {
        var follower = try live()
        #expect(try look(&follower, "b1000") == ["1 reset", "1 live 1000", "wait 2"])
    }

    @Test("A row changed with a stamp of the past is found") func aChangeLongPastIsFound() throws {
        var follower = try live()
        #expect(try look(&follower, "a800 b1000") == ["1 reset", "1 live 1000", "wait 2"])
    }

    @Test("Samples go through the table, one after another") func samplesGoThroughTheTable() throws {
        var follower = KintoSubscriptions(overlap: .zero, lookAge: .seconds(60))
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        let first = try look("a700", next: "a", count: 3)
        _ = follower.looked(1, Self.made, Revision(1000), first, at: .zero)
        _ = follower.answered(1, try .changes(revision: 1000), at: .zero)
        #expect(said(follower.due(1, at: .seconds(60))) == ["look 2 after a"])
        let second = try look("b800 c900", count: 3)
        _ = follower.looked(2, Self.made, Revision(1000), second, at: .seconds(60))
        #expect(said(follower.answered(2, try .changes(revision: 1000), at: .seconds(60))) == ["wait 2"])
        #expect(said(follower.due(2, at: .seconds(120))) == ["look 3"])
        _ = follower.looked(
            3,
            Self.made,
            Revision(1000),
            try look("a750", next: "a", count: 3),
            at: .seconds(120)
        )
        let told = follower.answered(3, try .changes(revision: 1000), at: .seconds(120))
        #expect(said(told) == ["1 reset", "1 live 1000", "wait 3"])
    }

    @Test("A row that a page has shown is known not to be new") func aRowOfAPageIsKnown() throws {
        var follower = KintoSubscriptions(overlap: .zero, lookAge: .seconds(60))
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        _ = follower.looked(1, Self.made, Revision(1000), try look("", next: "zz", count: 3), at: .zero)
        _ = follower.answered(1, try .changes(revision: 1000), at: .zero)
        follower.noteRead(try KintoList.changes("a700", revision: 1_000).rows)
        _ = follower.due(1, at: .seconds(5))
        _ = follower.answered(2, try .changes("a1010", revision: 1010), at: .seconds(5))
        _ = follower.due(2, at: .seconds(60))
        // Of four rows, one is neither.
        _ = follower.looked(3, Self.made, Revision(1010), try look("", count: 4), at: .seconds(60))
        let told = follower.answered(3, try .changes(revision: 1010), at: .seconds(60))
        #expect(said(told) == ["1 reset", "1 live 1010", "wait 3"])
    }

    @Test("A change shortly before the first look hides no imported row")
    func aChangeBeforeTheFirstLook() throws {
        var follower = KintoSubscriptions(overlap: .seconds(10), lookAge: .seconds(60))
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        let first = try look("a700", next: "a", count: 300)
        let begin = follower.looked(1, Self.made, Revision(20_000), first, at: .zero)
        #expect(said(begin) == ["ask 1 since 10000"])
        let live = follower.answered(1, try .changes("c15000", revision: 20_000), at: .zero)
        #expect(said(live) == ["1 live 20000", "wait 1"])
        #expect(said(follower.due(1, at: .seconds(60))) == ["look 2 after a"])
        let second = try look("b800", next: "b", count: 301)
        _ = follower.looked(2, Self.made, Revision(20_000), second, at: .seconds(60))
        let told = follower.answered(2, try .changes("c15000", revision: 20_000), at: .seconds(60))
        #expect(said(told) == ["1 reset", "1 live 20000", "wait 2"])
    }

    @Test("The rest of an import is found after a look among changes has found its first rows")
    func theRestOfAnImportIsFound() throws {
        var follower = KintoSubscriptions(overlap: .zero, lookAge: .seconds(60))
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        _ = follower.looked(1, Self.made, Revision(1000), try look("", next: "b", count: 300), at: .zero)
        _ = follower.answered(1, try .changes(revision: 1000), at: .zero)
        _ = follower.due(1, at: .seconds(60))
        let second = try look("", next: "c", count: 310)
        _ = follower.looked(2, Self.made, Revision(1010), second, at: .seconds(60))
        let told = follower.answered(2, try .changes("x1005", revision: 1010), at: .seconds(60))
        #expect(said(told) == ["1 updated x 1005", "1 reset", "1 live 1010", "wait 2"])
        _ = follower.due(2, at: .seconds(120))
        let third = try look("", next: "d", count: 311)
        _ = follower.looked(3, Self.made, Revision(1010), third, at: .seconds(120))
        let rest = follower.answered(3, try .changes(revision: 1010), at: .seconds(120))
        #expect(said(rest) == ["1 reset", "1 live 1010", "wait 3"])
    }

    @Test("A change after the look's revision may be counted or not", arguments: [300, 301])
    func aChangeAfterTheRevision(count: Int) throws {
        var follower = KintoSubscriptions(overlap: .zero, lookAge: .seconds(60))
        _ = follower.begin(1, Query(), since: nil, at: .zero)
        _ = follower.looked(1, Self.made, Revision(1000), try look("", next: "b", count: 300), at: .zero)
        _ = follower.answered(1, try .changes("x1005", revision: 1005), at: .zero)
        _ = follower.due(1, at: .seconds(60))
        let second = try look("", next: "c", count: count)
        _ = follower.looked(2, Self.made, Revision(1005), second, at: .seconds(60))
        let told = follower.answered(2, try .changes(revision: 1005), at: .seconds(60))
        #expect(said(told) == ["wait 2"])
    }

    @Test("A subscriber that resumes from before the first count compares its rows")
    func aResumedSubscriberCompares() throws {
        var follower = KintoSubscriptions(overlap: .zero, lookAge: .seconds(60))
        #expect(said(follower.begin(1, Query(), since: Revision(900), at: .zero)) == ["look 1"])
        let begin = follower.looked(1, Self.made, Revision(1000), try look("a700 b1000 old10"), at: .zero)
        #expect(said(begin) == ["ask 1 since 900"])
        let told = follower.answered(1, try .changes("b1000", revision: 1000), at: .zero)
        #expect(said(told) == ["1 live 900", "1 updated b 1000", "1 reset", "1 live 1000", "wait 1"])
        _ = follower.due(1, at: .seconds(5))
        let next = follower.answered(2, try .changes("b1010", revision: 1010), at: .seconds(5))
        #expect(said(next) == ["1 updated b 1010", "wait 2"])
    }

    @Test("A later subscriber compares its rows where it resumes from before the first count")
    func aLaterSubscriberCompares() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        _ = follower.answered(2, try .changes("b1010", revision: 1010), at: .seconds(5))
        var other = follower
        #expect(
            said(follower.begin(2, Query(), since: Revision(1010), at: .seconds(6))) == ["ask 3 since 1010"]
        )
        let told = follower.answered(3, try .changes(revision: 1010), at: .seconds(6))
        #expect(said(told) == ["2 live 1010", "wait 3"])
        _ = other.begin(2, Query(), since: Revision(1000), at: .seconds(6))
        let rest = other.answered(3, try .changes("b1010", revision: 1010), at: .seconds(6))
        #expect(said(rest) == ["2 live 1000", "2 updated b 1010", "2 reset", "2 live 1010", "wait 3"])
    }

    @Test("A subscriber that comes while rows are found compares its own")
    func aSubscriberThatComesMeanwhileCompares() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(5))
        _ = follower.answered(2, try .changes("b1010", revision: 1010), at: .seconds(5))
        _ = follower.due(2, at: .seconds(60))
        #expect(said(follower.begin(2, Query(), since: Revision(1010), at: .seconds(60))) == [])
        let found = try look("a700 b1010 old10")
        _ = follower.looked(3, Self.made, Revision(1010), found, at: .seconds(60))
        let told = follower.answered(3, try .changes(revision: 1010), at: .seconds(60))
        #expect(said(told) == ["1 reset", "1 live 1010", "ask 4 since 1010"])
        let rest = follower.answered(4, try .changes(revision: 1010), at: .seconds(60))
        #expect(said(rest) == ["2 live 1010", "2 reset", "2 live 1010", "wait 4"])
    }

    @Test("A failed round leaves the next look to find it") func aFailedRoundLeavesItToTheNext() throws {
        var follower = try live()
        _ = follower.due(1, at: .seconds(60))
        _ = follower.looked(2, Self.made, Revision(1000), try look("a700 b1000 old10"), at: .seconds(60))
        _ = follower.failed(2, RemoteDataError(.unreachable, ""), at: .seconds(60))
        _ = follower.due(2, at: .seconds(120))
        _ = follower.looked(3, Self.made, Revision(1000), try look("a700 b1000 old10"), at: .seconds(120))
        let told = follower.answered(3, try .changes(revision: 1000), at: .seconds(120))
        #expect(said(told).contains("1 reset"))
    }
}
