/// Decides which request runs next: fairly among servers, each of them and all together within a limit.
struct TransferQueue<Item> {
    private struct Lane {
        var waiting: [Item] = []
        var running = 0
    }

    private let perLane: Int
    private let total: Int
    private var lanes: [String: Lane] = [:]
    /// The names of lanes that have somebody waiting, the one whose turn is next in front.
    private var turns: [String] = []
    private(set) var running = 0

    init(perLane: Int, total: Int) {
        self.perLane = max(1, perLane)
        self.total = max(1, total)
    }

    var isEmpty: Bool { turns.isEmpty }

    /// All items that wait.
    var waiting: [Item] { lanes.values.flatMap(\.waiting) }

    mutating func add(_ item: Item, lane name: String) {
        if lanes[name, default: Lane()].waiting.isEmpty { turns.append(name) }
        lanes[name, default: Lane()].waiting.append(item)
    }

    /// The next item that may run, which then counts as running.
    mutating func next() -> Item? {
        guard running < total,
            let turn = turns.firstIndex(where: { lanes[$0, default: Lane()].running < perLane })
        else { return nil }
        let name = turns.remove(at: turn)
        var lane = lanes[name, default: Lane()]
        guard !lane.waiting.isEmpty else { return nil }
        let item = lane.waiting.removeFirst()
        lane.running += 1
        running += 1
        if !lane.waiting.isEmpty { turns.append(name) }
        lanes[name] = lane
        return item
    }

    /// An item of a lane no longer runs.
    mutating func finished(lane name: String) {
        guard var lane = lanes[name], lane.running > 0 else { return }
        lane.running -= 1
        running -= 1
        lanes[name] = lane.running == 0 && lane.waiting.isEmpty ? nil : lane
    }

    /// Removes the items that satisfy a condition and do not run yet.
    mutating func remove(where condition: (Item) -> Bool) -> [Item] {
        var removed: [Item] = []
        for name in turns {
            guard var lane = lanes[name] else { continue }
            removed += lane.waiting.filter(condition)
            lane.waiting.removeAll(where: condition)
            lanes[name] = lane.running == 0 && lane.waiting.isEmpty ? nil : lane
        }
        turns.removeAll { lanes[$0]?.waiting.isEmpty ?? true }
        return removed
    }
}
