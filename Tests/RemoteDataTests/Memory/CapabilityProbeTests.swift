import RemoteData
import RemoteDataTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct CapabilityProbeTests {
    @Test func aTableOfThisPackageDoesWhatItDeclares() async throws {
        for finding in try await CapabilityProbe(make: { MemoryTable("rows") }).run() {
            #expect(finding.found == finding.declared, "\(finding.name)")
        }
    }

    /// What a table says that it cannot do is found, one capability at a time.
    @Test(arguments: [
        "keysetPages", "revisions", "resume", "liveChanges", "reportsLeaving", "reportsEntering",
        "locatesDeleted",
        "filteredDeletes", "filteredUpdates", "idempotency", "conditionalWrites",
    ])
    func whatIsMissingIsFound(name: String) async throws {
        let names = Capabilities.full.names.filter { $0 != name && (name != "revisions" || $0 != "resume") }
        let limited = Capabilities(names: names, maximumPageSize: 20, maximumBulkSize: 7)
        let probe = CapabilityProbe { LimitedTable(MemoryTable("rows"), to: limited) }
        for finding in try await probe.run() where finding.name == name {
            #expect(finding.declared == "no")
            #expect(finding.found == "no")
        }
    }

    @Test func anOrderThatIsNotThatOfBytesIsFound() async throws {
        let findings = try await CapabilityProbe { CollatedTable(MemoryTable("rows")) }.run()
        #expect(findings.first { $0.name == "binaryOrder" }?.found == "no")
    }

    @Test func aTableThatPromisesTooMuchIsFoundOut() async throws {
        let limited = Capabilities(
            names: [
                "keysetPages", "exactCounts", "liveChanges", "idempotentCreation", "binaryOrder",
                "checksColumns",
            ],
            maximumPageSize: 20,
            maximumBulkSize: 7
        )
        let probe = CapabilityProbe { BoastingTable(wrapped: LimitedTable(MemoryTable("rows"), to: limited)) }
        let found = try await probe.run().filter { $0.found != $0.declared }.map { $0.name }
        // That table tells every change, although it does not promise to.
        let expected = Set(Capabilities.full.names).subtracting(limited.names + ["everyChange"])
            .union(["maximumPageSize", "maximumBulkSize"])
        #expect(Set(found) == expected)
    }
}

/// A table that says it can do everything.
private struct BoastingTable: ForwardingTable {
    let wrapped: any Table
    var capabilities: Capabilities { .full }

    func commit(_ mutation: Mutation, idempotencyKey: String?) async throws(RemoteDataError) -> Outcome {
        // It writes what it can, one row at a time.
        guard case .create(let drafts) = mutation, drafts.count > 7, drafts.count <= 1_000 else {
            return try await wrapped.commit(mutation, idempotencyKey: idempotencyKey)
        }
        var outcome = Outcome(count: 0)
        for draft in drafts { outcome = try await wrapped.commit(.create([draft]), idempotencyKey: nil) }
        return outcome
    }
}
