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
        guard !bases.isEmpty else { return nil }
        let holders = managers.map { manager in bases.map { manager.subscriber($0) } }
        let known = holders.map { $0.map(\.hearing.count) }
        let before = holders[1].map(\.model)
        var replaced: Set<Int> = []
        for step in 0..<pool.random.number(1..<10) {
            if pool.random.chance(4), let mine = pool.model() as? Thing {
                let place = pool.random.number(0..<bases.count)
                replaced.insert(place)
                for place in holders.map({ $0[place] }) { place.subscription.replace(with: mine) }
                continue
            }
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
            guard !replaced.contains(place), let base = before[place], let model = folded.model else {
                continue
            }
            let expected = base.changes(to: model)
            if told.count == 1, let only = told.first, only.updates.changed != expected {
                return "\(place): \(only.updates) are not \(expected)"
            }
        }
        return nil
    }

    @Test func whatAListenerWillNotBeToldIsNotWhereItStartsFrom() {
        let manual = ManualManager(limit: 3)
        let holder = manual.subscriber(Thing("a", 1))
        manual.manager.update(Thing("a", 2))
        manual.work.runAll()
        holder.subscription.replace(with: Thing("a", 3))
        manual.work.runAll()
        manual.manager.update(Thing("a", 1))
        manual.settle()
        #expect(holder.model == Thing("a", 1))
        #expect(holder.hearing.things.last == Thing("a", 1))
    }

    @Test func whatOtherTypesSaidIsToldAsWell() {
        let manual = ManualManager(limit: 2)
        let heard = EventLog<[String]>()
        let observation = manual.manager.observeAll { changes, _ in
            for case .updated(let versions) in changes.values {
                heard.note(versions.map { "\(type(of: $0))" })
            }
        }
        manual.manager.update(Neighbor("a", "Ada", 1))
        manual.work.runAll()
        manual.manager.update(Neighbor("a", "Ada", 2))
        manual.work.runAll()
        manual.manager.update(NamePlate(id: "a", name: "Adi"))
        manual.settle()
        #expect(heard.events == [["Neighbor", "NamePlate"]])
        withExtendedLifetime(observation) {}
    }

    @Test func whatComesAndGoesIsToldToWhoWaitsForIt() {
        let manual = ManualManager(limit: 2)
        let holder = Subscriber(manual.manager, waitingFor: ModelID("a"), of: Thing.self)
        manual.settle()
        manual.manager.update(Thing("a", 1))
        manual.work.runAll()
        manual.manager.delete(ModelID("a"))
        manual.settle()
        #expect(holder.hearing.told.last?.model == nil)
        #expect(holder.hearing.count == 1)
    }

    @Test func thoseWhoAreGoneAreNotKept() {
        let manual = ManualManager(limit: 4)
        for number in 0..<1_000 {
            let (one, other) = (Thing("a\(number)", 0), Thing("b\(number)", 0))
            let subscription = manual.manager.subscribe(to: one) { _ in }
            let listener = RecordingListener(other)
            manual.manager.add(listener)
            manual.manager.update([Thing("a\(number)", 1), Thing("b\(number)", 1)])
            manual.work.runAll()
            subscription.cancel()
            withExtendedLifetime(listener) {}
            #expect(manual.manager.waitingCounts.tellings <= 8)
        }
        manual.settle()
    }

    @Test func aTreeIsReplacedOnceForAllWhoHoldIt() {
        let manual = ManualManager(limit: 2)
        let delegate = RecordingDelegate()
        manual.manager.delegate = delegate
        let holders = (0..<100).map { _ in manual.subscriber(Thing("a", 0)) }
        for number in 1...3 {
            manual.manager.update(Thing("a", number))
            manual.work.runAll()
        }
        manual.settle()
        #expect(delegate.replacements.events.count == 1)
        #expect(holders.allSatisfy { $0.model == Thing("a", 3) })
    }

    @Test func whoWaitsIsToldBehindWhatComesBefore() {
        let manual = ManualManager(limit: 3)
        let order = EventLog<String>()
        let subscription = manual.manager.subscribe(to: Thing("a", 0)) {
            order.note("\($0.model?.value ?? -1)")
        }
        manual.settle()
        manual.manager.update(Thing("a", 1))
        manual.work.runAll()
        manual.manager.enqueue { _ in .notify { order.note("notice") } }
        manual.work.runAll()
        manual.manager.update(Thing("a", 2))
        manual.settle()
        #expect(order.events == ["1", "notice", "2"])
        withExtendedLifetime(subscription) {}
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
