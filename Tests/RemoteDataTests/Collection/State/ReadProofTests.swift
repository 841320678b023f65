import Testing

@testable import RemoteData

/// What answers prove about how recent rows are.
@Suite struct ReadProofTests {
    @Test("An answer proves something once its revision is reached")
    func reached() {
        var proof = ReadProof()
        proof.note(Revision(7), asked: 3, applied: Revision(5))
        #expect((proof.reached, proof.newest) == (0, 3))
        proof.reach(Revision(6))
        #expect(proof.reached == 0)
        proof.reach(Revision(7))
        #expect(proof.reached == 3)
    }

    @Test("An answer at the revision reached proves it at once")
    func atOnce() {
        var proof = ReadProof()
        proof.note(Revision(5), asked: 3, applied: Revision(5))
        #expect(proof.reached == 3)
        proof.note(Revision(4), asked: 2, applied: Revision(5))
        #expect(proof.reached == 3)
    }

    @Test("Of answers that are ahead, the one asked for last counts")
    func newest() {
        var proof = ReadProof()
        proof.note(Revision(7), asked: 3, applied: Revision(5))
        proof.note(Revision(9), asked: 4, applied: Revision(5))
        proof.note(Revision(6), asked: 2, applied: Revision(5))
        proof.reach(Revision(8))
        #expect((proof.reached, proof.newest) == (0, 4))
        proof.reach(Revision(9))
        #expect(proof.reached == 4)
    }
}
