import RemoteData
import Testing

@testable import RemoteDataServer

/// The epochs that callers are given.
@Suite struct CallerTests {
    private func caller(_ id: String, _ roles: String...) throws -> Caller {
        Caller(user: try AccessUser(id, roles: roles), newRows: .none, mayWrite: true)
    }

    @Test("Callers with other rights are given other epochs, and those with the same the same")
    func rights() throws {
        let epoch = try #require(Epoch(rawValue: 0x0A1B_2C3D))
        let revision = Revision(17, epoch: epoch)
        let callers = [
            try caller("ann"), try caller("ann", "ann"), try caller("ann", "editors"),
            try caller("ann", "editors", "staff"), try caller("anned", "itors"), try caller("bob"),
            Caller(user: .nobody, newRows: .none, mayWrite: false), .everything,
        ]
        #expect(Set(callers.map { $0.exchanged(revision) }).count == callers.count)
        #expect(Caller.everything.exchanged(revision) == revision)
        for caller in callers {
            #expect(caller.exchanged(caller.exchanged(revision)) == revision)
            #expect(caller.exchanged(Revision(3)) == Revision(3))
        }
        let same = try caller("ann", "staff", "editors", "staff").exchanged(revision)
        #expect(same == (try caller("ann", "editors", "staff").exchanged(revision)))
    }
}
