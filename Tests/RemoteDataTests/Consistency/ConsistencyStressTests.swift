import Testing

@testable import RemoteData

/// Many at once, on the manager's own queues.
@Suite(.timeLimit(.minutes(1))) struct ConsistencyStressTests {
    @Test func inTheEndWhoeverHoldsAModelHoldsTheSame() async {
        let (manager, watch) = (ConsistencyManager(), OneAtATime())
        let actors = await withTaskGroup(of: StressActor.self) { group in
            for number in 0..<8 {
                group.addTask {
                    var actor = StressActor(manager, watch, seed: UInt64(number))
                    for _ in 0..<150 { actor.act() }
                    actor.end()
                    return actor
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        await manager.settled()
        let models = actors.flatMap(\.held).compactMap(\.model)
        #expect(models.count > 8)
        for name in StressActor.names { expectOne(models.filter { $0.id == name }) }
        let cards = models.map(\.need) + models.compactMap(\.maybe)
        for name in StressActor.cardNames { expectOne(cards.filter { $0.id == name }) }
        #expect(watch.entries > 0)
        #expect(watch.overlaps == 0)
    }

    /// Expects that all versions of a model are the same.
    private func expectOne<Model: Equatable>(_ versions: [Model]) {
        guard let first = versions.first else { return }
        #expect(versions.allSatisfy { $0 == first }, "\(versions)")
    }

    @Test func nothingIsKeptWhenAllAreGone() async {
        let (manager, watch) = (ConsistencyManager(), OneAtATime())
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    var actor = StressActor(manager, watch, seed: UInt64(100 + number))
                    for _ in 0..<100 { actor.act() }
                }
            }
        }
        manager.cleanMemory()
        await manager.settled()
        #expect(manager.counts == (0, 0, 0))
        #expect(watch.overlaps == 0)
    }

    @Test func eachIsToldInTheOrderOfChangesHoweverManySayThem() async {
        let (manager, order) = (ConsistencyManager(), EventLog<Int>())
        let all = EventLog<Int>()
        let subscription = manager.subscribe(to: Card("a")) { order.note($0.model?.value ?? -1) }
        let observation = manager.observeAll { _, context in all.note(context[Int.self] ?? -1) }
        await withTaskGroup { group in
            for number in 0..<8 {
                group.addTask {
                    for step in 0..<50 {
                        let value = 1 + number * 50 + step
                        manager.update(Card("a", value), context: ConsistencyContext(value))
                    }
                }
            }
        }
        await manager.settled()
        #expect(order.events.count == 400)
        #expect(order.events == all.events)
        for number in 0..<8 {
            let own = order.events.filter { ($0 - 1) / 50 == number }
            #expect(own == own.sorted())
        }
        subscription.cancel()
        observation.cancel()
    }

    @Test func whatWasAskedForIsToldOnTheDefaultQueues() async {
        let manager = ConsistencyManager()
        let holder = Subscriber(manager, Thing("a", 0, [Thing("b")]))
        let listener = RecordingListener(Thing("b"))
        manager.add(listener)
        manager.update(Thing("b", 1), context: ConsistencyContext(1))
        await manager.settled()
        #expect(holder.hearing.things == [Thing("a", 0, [Thing("b", 1)])])
        #expect(listener.hearing.things == [Thing("b", 1)])
        #expect(holder.model == Thing("a", 0, [Thing("b", 1)]))
    }
}
