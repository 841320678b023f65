import Testing

@testable import RemoteData

/// Those who listen to all that is told, and what is said with changes.
@Suite struct ConsistencyObservationTests {
    /// What was told, as text by ids.
    private typealias News = [ModelID: String]

    let manual = ManualManager()
    private let news = EventLog<News>()

    private func observe() -> ConsistencyObservation {
        manual.manager.observeAll { [news] changes, context in
            var said: News = changes.mapValues { change in
                switch change {
                case .deleted: "deleted"
                case .updated(let models):
                    models.map { "\(($0 as? Thing)?.value ?? -1)" }.joined(separator: " ")
                }
            }
            if let number = context[Int.self] { said["context"] = "\(number)" }
            news.note(said)
        }
    }

    @Test func allThatIsToldIsHeardThoughNobodyHoldsIt() {
        let observation = observe()
        manual.update(Thing("a", 1, [Thing("b", 2)]), deleting: ["c"], saying: 3)
        #expect(news.events == [["a": "1", "b": "2", "c": "deleted", "context": "3"]])
        observation.cancel()
    }

    @Test func whatChangesNothingIsHeardAsWell() {
        let observation = observe()
        let holder = manual.subscriber(Thing("a", 1))
        manual.update(Thing("a", 1))
        #expect(holder.hearing.count == 0)
        #expect(news.events.map { $0["a"] } == ["1"])
        observation.cancel()
    }

    @Test func ofSeveralVersionsTheLastOfEachTypeIsHeard() {
        let observation = observe()
        manual.update(Thing("a", 1), Card("a", 2), Thing("a", 3), Card("a", 4))
        #expect(news.events.map { $0["a"] } == ["3 -1"])
        observation.cancel()
    }

    @Test func listenersAreToldFirst() {
        let order = EventLog<String>()
        let subscription = manual.manager.subscribe(to: Thing("a")) { _ in order.note("listener") }
        let observation = manual.manager.observeAll { _, _ in order.note("observer") }
        manual.settle()
        manual.update(Thing("a", 1))
        #expect(order.events == ["listener", "observer"])
        subscription.cancel()
        observation.cancel()
    }

    @Test func observersAreToldInTheOrderInWhichTheyCame() {
        let order = EventLog<Int>()
        let observations = (0..<9).map { number in manual.manager.observeAll { _, _ in order.note(number) } }
        manual.update(Thing("a", 1))
        #expect(order.events == Array(0..<9))
        for observation in observations { observation.cancel() }
    }

    @Test func anObservationThatIsCancelledHearsNothing() {
        let observation = observe()
        observation.cancel()
        manual.update(Thing("a", 1))
        #expect(news.events == [])
    }

    @Test func anObservationThatIsLetGoOfHearsNothing() {
        var observation: ConsistencyObservation? = observe()
        manual.update(Thing("a", 1))
        withExtendedLifetime(observation) {}
        observation = nil
        manual.update(Thing("a", 2))
        #expect(news.events.count == 1)
    }

    @Test func oneObservationThatEndsLeavesTheOthers() {
        let (first, second) = (observe(), observe())
        first.cancel()
        manual.update(Thing("a", 1))
        #expect(news.events.count == 1)
        second.cancel()
    }

    @Test func nothingIsHeardOfReplacedModels() {
        let observation = observe()
        let holder = manual.subscriber(Thing("a"))
        holder.subscription.replace(with: Thing("a", 1))
        manual.settle()
        #expect(news.events == [])
        observation.cancel()
    }

    // MARK: What is said

    @Test func valuesAreSaidByTheirTypes() {
        let context = ConsistencyContext(1).with("text").with(2.5)
        #expect(context[Int.self] == 1)
        #expect(context[String.self] == "text")
        #expect(context[Double.self] == 2.5)
        #expect(context[Bool.self] == nil)
    }

    @Test func aLaterValueOfATypeTakesTheEarliersPlace() {
        let first = ConsistencyContext(1)
        let second = first.with(2)
        #expect(first[Int.self] == 1)
        #expect(second[Int.self] == 2)
    }

    @Test func aValueMayBeTakenBack() {
        var context = ConsistencyContext(1).with("text")
        context[Int.self] = nil
        #expect(context[Int.self] == nil)
        #expect(context[String.self] == "text")
    }

    @Test func nothingIsSaidUnlessItIs() {
        let holder = manual.subscriber(Thing("a"))
        manual.manager.update(Thing("a", 1))
        manual.settle()
        #expect(ConsistencyContext.none[Int.self] == nil)
        #expect(holder.hearing.contexts == [nil])
    }

    @Test func whatIsSaidReachesAllWhoAreToldOfTheChange() {
        let (first, second) = (manual.subscriber(Thing("a")), manual.listener(Thing("x", 0, [Thing("a")])))
        manual.manager.update(Thing("a", 1), context: ConsistencyContext("why").with(4))
        manual.settle()
        let said = (first.hearing.told + second.hearing.told).map(\.context)
        #expect(said.map { $0[String.self] } == ["why", "why"])
        #expect(said.map { $0[Int.self] } == [4, 4])
    }
}
