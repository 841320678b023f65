import Testing

@testable import RemoteData

/// What is kept of versions that rows no longer have.
struct FormerVersionsTests {
    private func row(_ id: String, _ members: String = "") -> Row {
        Row(id: .text(id), json: Array(#"{"objectId":"\#(id)"\#(members)}"#.utf8)[...])
    }

    /// Keeps versions of other rows until the ones before are dropped.
    private func crowd(_ versions: inout FormerVersions) {
        for number in 0..<FormerVersions.limit { versions.keep(row("other \(number)")) }
    }

    private func past(_ versions: FormerVersions, _ row: Row) -> RowPast {
        versions.past(of: row, under: [row.idMark])
    }

    @Test("Versions are found by any id the row had, the latest first")
    func versionsAreFound() {
        var versions = FormerVersions()
        versions.keep(row("a", #","n":1"#))
        versions.keep(row("x", #","n":2"#))
        versions.keep(row("b", #","n":3"#))
        let past = versions.past(of: row("b"), under: [RowID("a").mark, RowID("b").mark])
        #expect(past.versions.map { $0["n"] } == [3, 1])
        #expect(!past.mayHaveChanged("n"))
    }

    @Test("A version that is later than the row, whose change has not come, is none that it had")
    func laterVersions() {
        func version(_ number: Int64) -> Row {
            Row(id: "a", revision: Revision(number), json: row("a", #","n":\#(number)"#).json)
        }
        var versions = FormerVersions()
        for number in 1...3 { versions.keep(version(Int64(number))) }
        #expect(past(versions, version(2)).versions.map { $0["n"] } == [2, 1])
    }

    @Test("Of a version that is dropped, it stays known which columns are others")
    func columnsOfADroppedVersion() {
        var versions = FormerVersions()
        versions.keep(row("a", #","n":1,"s":1,"z":null"#))
        crowd(&versions)
        #expect(versions.count == FormerVersions.limit)
        let newest = past(versions, row("a", #","n":2,"s":1,"z":null"#))
        #expect(newest.versions.isEmpty)
        #expect(newest.mayHaveChanged("n") && !newest.mayHaveChanged("s") && !newest.mayHaveChanged("z"))
        #expect(!past(versions, row("a", #","s":1,"n":1,"z":null"#)).mayHaveChanged("n"))
        #expect(past(versions, row("a", #","n":1"#)).mayHaveChanged("s"))
        #expect(!past(versions, row("b")).mayHaveChanged("n"))
    }

    @Test("Of several versions that are dropped, columns that differ among them are others")
    func columnsOfDroppedVersions() {
        var versions = FormerVersions()
        versions.keep(row("a", #","n":1,"s":1"#))
        versions.keep(row("a", #","n":2,"s":1"#))
        crowd(&versions)
        let newest = past(versions, row("a", #","n":2,"s":1"#))
        #expect(newest.mayHaveChanged("n") && !newest.mayHaveChanged("s"))
    }

    @Test("A version that an own update replaced leaves no digest")
    func ownVersions() {
        var versions = FormerVersions()
        versions.isOwn = true
        versions.keep(row("a", #","n":1"#))
        #expect(past(versions, row("a", #","n":2"#)).versions.count == 1)
        versions.isOwn = false
        crowd(&versions)
        #expect(!past(versions, row("a", #","n":2"#)).mayHaveChanged("n"))
    }

    @Test("Versions that are joined are found, also those that were dropped, also those before own writes")
    func versionsAreJoined() {
        var others = FormerVersions()
        others.keep(row("old", #","n":1"#))
        crowd(&others)
        others.isOwn = true
        others.keep(row("a", #","n":1"#))
        var versions = FormerVersions()
        versions.isOwn = true
        versions.formUnion(others)
        #expect(past(versions, row("a", #","n":2"#)).versions.map { $0["n"] } == [1])
        #expect(past(versions, row("old", #","n":2"#)).mayHaveChanged("n"))
        versions.isOwn = false
        crowd(&versions)
        #expect(past(versions, row("a", #","n":2"#)).mayHaveChanged("n"))
    }

    @Test("Versions have no more bytes together than may be")
    func bytesAreBounded() {
        var versions = FormerVersions()
        let text = String(repeating: "x", count: FormerVersions.byteLimit / 4)
        for number in 0..<6 { versions.keep(row("\(number)", #","t":"\#(text)""#)) }
        #expect(versions.count == 3)
        #expect(past(versions, row("2")).versions.isEmpty && past(versions, row("2")).mayHaveChanged("t"))
        #expect(past(versions, row("3")).versions.count == 1)
    }

    @Test("Any column of a row without room for digests may have changed")
    func moreRowsThanDigests() {
        var versions = FormerVersions()
        for number in 0..<FormerVersions.digestLimit { versions.keep(row("\(number)")) }
        versions.keep(row("a", #","n":1"#))
        crowd(&versions)
        #expect(past(versions, row("a", #","n":1"#)).mayHaveChanged("n"))
        #expect(!past(versions, row("7")).mayHaveChanged("n"))
        let new = (0..<1_000).filter { past(versions, row("new \($0)")).mayHaveChanged("n") }
        #expect(new.count < 20)
        var joined = FormerVersions()
        joined.formUnion(versions)
        #expect(past(joined, row("a", #","n":1"#)).mayHaveChanged("n"))
    }

    @Test("Of a row with very many versions, the columns of the older ones are compared")
    func manyVersionsOfOneRow() {
        var versions = FormerVersions()
        for number in 0..<100 { versions.keep(row("a", #","n":\#(number),"s":1"#)) }
        let past = past(versions, row("a", #","n":100,"s":1"#))
        #expect(past.versions.count == 32 && past.versions.first?["n"] == 99)
        #expect(past.mayHaveChanged("n") && !past.mayHaveChanged("s"))
    }
}
