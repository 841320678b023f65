import Testing

@testable import RemoteData

/// What was read at a later revision than the changes have come to.
@Suite struct NewerStretchesTests {
    private func key(_ id: Int64) -> Key { Key(values: [], id: .integer(id)) }

    private func stretch(_ first: Int64, _ last: Int64) -> KeyInterval {
        KeyInterval(
            lower: .init(key: key(first), isIncluded: true),
            upper: .init(key: key(last), isIncluded: true)
        )
    }

    @Test("A stretch counts until its revision is reached")
    func reached() {
        var newer = NewerStretches()
        newer.note(stretch(10, 20), at: Revision(3))
        newer.note(stretch(15, 30), at: Revision(5))
        #expect(newer.revision(of: key(0), through: key(9), []) == nil)
        #expect(newer.revision(of: key(0), through: key(10), []) == Revision(3))
        #expect(newer.revision(of: key(18), through: key(19), []) == Revision(5))
        newer.reach(Revision(3))
        #expect(newer.revision(of: key(10), through: key(12), []) == nil)
        #expect(newer.revision(of: key(16), through: key(17), []) == Revision(5))
        newer.reach(Revision(5))
        #expect(newer.isEmpty)
    }

    @Test("Of very many stretches none is lost")
    func many() {
        var newer = NewerStretches()
        for number in 0..<1_000 {
            newer.note(stretch(Int64(number * 10), Int64(number * 10)), at: Revision(Int64(number + 1)))
        }
        #expect((0..<1_000).allSatisfy { newer.revision(of: key($0 * 10), through: key($0 * 10), []) != nil })
        newer.reach(Revision(1_000))
        #expect(newer.isEmpty)
    }
}
