import RemoteData
import Synchronization

// What is made of a collection, when everything has come to rest.
extension ScenarioWorld {
    /// An audit of a collection that is right finds nothing.
    func checkAudit(_ collection: RemoteDataCollection<Element>) {
        state.withLock { $0.audit = .null }
        perform(ScenarioStep(.audit))
        scheduler.run(atMost: .seconds(60)) { isIdle }
        let found = state.withLock { $0.audit }
        let nothing: ScenarioValue = ["missing": .array([]), "extra": .array([]), "differing": .array([])]
        if !nothing.describes(found) {
            fail("audit", "An audit of what is right found \(String(decoding: found.json, as: UTF8.self)).")
        }
    }

    /// Collections of fewer rows are as right as the one they were made of.
    func checkNarrowed() {
        let staysWhole = scenario.collection.cacheLimit == nil
        // Where not all rows stay, and counts may be off until they have been read, none are right.
        let isVague = !staysWhole && (!scenario.countsExactly || scenario.lacksRevisions)
        for (name, collection) in state.withLock({ $0.narrowed }).sorted(by: { $0.key < $1.key }) {
            let isAtRest = scheduler.run(atMost: .seconds(600)) { [self] in
                scheduler.messages == 0 && !scheduler.isBusy && isIdle && self.isAtRest(collection)
            }
            guard isAtRest else { return fail("no hang", "The narrowed \(name) does not come to rest.") }
            if refusal(of: collection.query) != nil || isVague { continue }
            let isReadAnew =
                !collection.liveStatus.isFollowed || !state.withLock { $0.spoiled.isEmpty }
            start("populate") { () async throws(RemoteDataError) in
                if isReadAnew { try await collection.refresh() }
                try await collection.populate()
            }
            scheduler.run(atMost: .seconds(600)) { isIdle && collection.isAtRest }
            if let difference = difference(collection) { fail("narrowed", "\(name): \(difference)") }
            if staysWhole, !collection.isLoaded { fail("narrowed", "\(name): Not every row is here.") }
        }
    }
}
