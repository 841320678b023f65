import Dispatch
import RemoteDataTesting
import Synchronization
import Testing

@testable import RemoteData

/// What waits to be told while the delivery queue stands still.
@Suite(.timeLimit(.minutes(1))) struct ConsistencyFoldingTests {
    @Test func itIsNoMoreThanThoseWhoAreToBeTold() {
        let manual = ManualManager(limit: 8)
        let holders = ["a", "b"].map { manual.subscriber(Thing($0)) }
        let watcher = Hearing()
        let observation = manual.manager.observeAll { changes, context in
            for _ in changes { watcher.note(nil, ModelUpdates(), context) }
        }
        for number in 1...1_000 {
            manual.manager.update(Thing("a", number), context: ConsistencyContext(number))
            manual.work.runAll()
            #expect(manual.manager.waitingCounts.tellings <= 8)
        }
        manual.settle()
        #expect(holders[0].hearing.things.last == Thing("a", 1_000))
        #expect(holders[0].hearing.contexts.last == 1_000)
        #expect((1...8).contains(holders[0].hearing.count))
        #expect(holders[1].hearing.count == 0)
        #expect((1...8).contains(watcher.count))
        withExtendedLifetime(observation) {}
    }

    @Test func theLastErrorsAreToldAndWhoeverWaitsIsTold() async throws {
        let manual = ManualManager(limit: 4)
        let delegate = RecordingDelegate()
        let isSettled = EventLog<Void>()
        manual.manager.delegate = delegate
        Task {
            await manual.manager.settled()
            isSettled.note(())
        }
        for _ in 0..<500 {
            manual.manager.delete(Thing(nil))
            manual.work.runAll()
        }
        try await eventually("all is told") {
            manual.settle()
            return !isSettled.events.isEmpty
        }
        #expect((100...200).contains(delegate.errors.events.count))
    }

    /// Whoever is told of several changes at once is told of what has become of its model in the end.
    @Test func whoIsToldLateIsToldWhatOthersAreToldByAndBy() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 1_000)) { Self.fault(UInt64($0)) }
        #expect(faults.isEmpty, "history \(faults.first?.number ?? 0): \(faults.first?.fault ?? "")")
    }

    private static func fault(_ seed: UInt64) -> String? {
        var pool = ThingPool(seed: seed)
        // The other one puts everything together.
        let managers = [ManualManager(), ManualManager(limit: 1)]
        let bases = (0..<pool.random.number(2..<9)).compactMap { _ in pool.model() as? Thing }
        let holders = managers.map { manager in bases.map { manager.subscriber($0) } }
        let known = holders.map { $0.map(\.hearing.count) }
        let before = holders[1].map(\.model)
        for step in 0..<pool.random.number(1..<10) {
            let deleted = pool.random.chance(4) ? [pool.id()] : []
            let models = deleted.isEmpty || pool.random.chance(2) ? [pool.model()] : []
            for manual in managers {
                manual.manager.update(models, deleting: deleted, context: ConsistencyContext(step))
                manual.work.runAll()
            }
        }
        for manual in managers { manual.settle() }
        for place in bases.indices {
            let (plain, folded) = (holders[0][place], holders[1][place])
            guard plain.model == folded.model else {
                return
                    "\(place): \(String(describing: folded.model)) is not \(String(describing: plain.model))"
            }
            let told = folded.hearing.told.dropFirst(known[1][place])
            let often = plain.hearing.count - known[0][place]
            guard told.count <= often else { return "\(place): told \(told.count) times, not \(often)" }
            guard let base = before[place], let model = folded.model else { continue }
            let expected = base.changes(to: model)
            if told.count == 1, let only = told.first, only.updates.changed != expected {
                return "\(place): \(only.updates) are not \(expected)"
            }
        }
        return nil
    }

    /// On a private queue all is done where it is told: whoever holds that up does not hold up the work.
    @Test func whoHoldsUpThePrivateQueueDoesNotHoldUpTheWork() async throws {
        let queue = DeliveryQueue.queue(DispatchQueue(label: "test.delivery"))
        let detour = DeliveryQueue.queue(DispatchQueue(label: "test.detour"))
        let manager = ConsistencyManager(delivery: queue, work: queue, detour: detour, limit: 4)
        let (gate, values) = (DispatchSemaphore(value: 0), EventLog<Int>())
        let isHeld = Mutex(false)
        let subscription = manager.subscribe(to: Thing("a")) { change in
            if !isHeld.withLock({ held in
                defer { held = true }
                return held
            }) {
                gate.wait()
            }
            values.note(change.model?.value ?? -1)
        }
        manager.update(Thing("a", 1))
        try await eventually("it is held up") { isHeld.withLock { $0 } }
        for number in 2...10_000 { manager.update(Thing("a", number)) }
        try await eventually("the work is done") {
            let waiting = manager.waitingCounts
            return waiting.jobs <= 256 && waiting.tellings <= 5
        }
        gate.signal()
        await manager.settled()
        #expect(values.events.first == 1)
        #expect(values.events.last == 10_000)
        #expect(values.events == values.events.sorted())
        withExtendedLifetime(subscription) {}
    }
}
