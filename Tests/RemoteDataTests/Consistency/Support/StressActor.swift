import Synchronization

@testable import RemoteData

/// Looks out that nobody is told while somebody else is.
final class OneAtATime: Sendable {
    private let state = Mutex((inside: 0, overlaps: 0, entries: 0))

    /// How often it was entered while somebody was inside.
    var overlaps: Int { state.withLock { $0.overlaps } }
    /// How often it was entered.
    var entries: Int { state.withLock { $0.entries } }

    func enter() {
        state.withLock { state in
            state.inside += 1
            state.entries += 1
            if state.inside > 1 { state.overlaps += 1 }
        }
    }

    func leave() { state.withLock { $0.inside -= 1 } }
}

/// One of many who do at random what one can do with a manager, each on a thread of its own.
///
/// Whatever it holds it tells, so that in the end everybody holds the same.
struct StressActor: Sendable {
    static let names = (0..<5).map { "thing \($0)" }
    static let cardNames = (0..<4).map { "card \($0)" }

    let manager: ConsistencyManager
    let watch: OneAtATime
    var random: SeededGenerator
    private(set) var held: [ConsistencySubscription<Thing>] = []
    private var listeners: [RecordingListener] = []

    init(_ manager: ConsistencyManager, _ watch: OneAtATime, seed: UInt64) {
        self.manager = manager
        self.watch = watch
        random = SeededGenerator(seed: seed)
    }

    /// Does one thing.
    mutating func act() {
        // So few that all of them together are not many.
        guard held.count > 1 else { return hold() }
        let subscription = random.pick(held)
        switch random.number(0..<12) {
        case 0, 1: if held.count < 4 { hold() }
        case 2, 3: manager.update(card())
        case 4: manager.update([thing(), card(), thing()])
        case 5: subscription.set(thing())
        case 6:
            let thing = thing()
            subscription.replace(with: thing)
            manager.update(thing)
        case 7: subscription.pause()
        case 8: subscription.resume()
        case 9: held.remove(at: random.number(0..<held.count)).cancel()
        case 10: _ = held.remove(at: random.number(0..<held.count))
        default: listen()
        }
    }

    /// Is told everything again.
    func end() { for subscription in held { subscription.resume() } }

    private mutating func hold() {
        let heard: @Sendable (ConsistencyChange<Thing>) -> Void = { [watch] _ in
            watch.enter()
            watch.leave()
        }
        if random.chance(4) {
            let id = ModelID(random.pick(Self.names))
            return held.append(manager.subscribe(to: id, of: Thing.self, heard))
        }
        let thing = thing()
        held.append(manager.subscribe(to: thing, heard))
        manager.update(thing)
    }

    private mutating func listen() {
        if listeners.count > 1 { manager.remove(listeners.removeFirst()) }
        let listener = RecordingListener(thing())
        listeners.append(listener)
        manager.add(listener)
        if random.chance(2) { manager.pause(listener) }
        if random.chance(2) { manager.resume(listener) }
        if random.chance(2) { manager.remove(listener) }
    }

    private mutating func card() -> Card { Card(random.pick(Self.cardNames), random.number(0..<1_000)) }

    private mutating func thing() -> Thing {
        let (need, maybe) = (card(), card())
        // One version of each card.
        let name = random.pick(Self.names)
        return Thing(name, random.number(0..<1_000), need: need, maybe: maybe.id == need.id ? nil : maybe)
    }
}
