import Testing

@testable import RemoteData

/// Which iterations a request for a proof serves.
@Suite struct ProofRequestsTests {
    @Test("A request that is due serves every iteration")
    func dueServesAll() {
        var requests = ProofRequests()
        #expect(!requests.serves(1))
        requests.schedule()
        #expect(requests.serves(1) && requests.serves(100))
        requests.ask(at: nil)
        #expect(!requests.serves(1))
    }

    @Test("A request under way serves the iterations that began before it")
    func underWayServesOlder() {
        var requests = ProofRequests()
        requests.schedule()
        requests.ask(at: 5)
        #expect(requests.serves(4) && !requests.serves(6))
        requests.schedule()
        requests.ask(at: 7)
        requests.end(5)
        #expect(requests.serves(4) && requests.serves(6))
        requests.end(7)
        #expect(!requests.serves(4))
    }
}
