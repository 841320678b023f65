import Testing

@testable import RemoteDataNetwork

@Suite struct TransferQueueTests {
    private func drain(_ queue: inout TransferQueue<Int>) -> [Int] {
        var items: [Int] = []
        while let item = queue.next() { items.append(item) }
        return items
    }

    @Test func aLaneKeepsItsOrderAndItsLimit() {
        var queue = TransferQueue<Int>(perLane: 2, total: 10)
        for item in 1...4 { queue.add(item, lane: "a") }
        #expect(drain(&queue) == [1, 2])
        queue.finished(lane: "a")
        #expect(drain(&queue) == [3])
        queue.finished(lane: "a")
        queue.finished(lane: "a")
        #expect(drain(&queue) == [4])
        #expect(queue.isEmpty)
    }

    @Test func lanesTakeTurns() {
        var queue = TransferQueue<Int>(perLane: 10, total: 10)
        for item in [1, 2, 3] { queue.add(item, lane: "a") }
        for item in [11, 12] { queue.add(item, lane: "b") }
        #expect(drain(&queue) == [1, 11, 2, 12, 3])
    }

    @Test func aFullLaneDoesNotHoldUpAnother() {
        var queue = TransferQueue<Int>(perLane: 1, total: 10)
        for item in [1, 2] { queue.add(item, lane: "a") }
        queue.add(11, lane: "b")
        #expect(drain(&queue) == [1, 11])
    }

    @Test func allTogetherHaveALimitToo() {
        var queue = TransferQueue<Int>(perLane: 10, total: 3)
        for item in 1...5 { queue.add(item, lane: "\(item)") }
        #expect(drain(&queue) == [1, 2, 3])
        queue.finished(lane: "2")
        #expect(drain(&queue) == [4])
    }

    @Test func removedItemsDoNotRun() {
        var queue = TransferQueue<Int>(perLane: 1, total: 10)
        for item in 1...4 { queue.add(item, lane: "a") }
        #expect(queue.next() == 1)
        #expect(queue.remove { $0 != 3 } == [2, 4])
        #expect(queue.waiting == [3])
        queue.finished(lane: "a")
        #expect(drain(&queue) == [3])
        queue.finished(lane: "a")
        #expect(queue.running == 0)
    }

    @Test func anUnknownLaneThatFinishesIsIgnored() {
        var queue = TransferQueue<Int>(perLane: 1, total: 1)
        queue.finished(lane: "x")
        #expect(queue.running == 0)
    }
}
