import RemoteData
import RemoteDataTesting
import Testing

struct FrameOrderTests {
    private struct Frame {
        let after: Revision?
        let revision: Revision
        let event: ChangeEvent
    }

    /// A chain of frames with revisions that do not follow each other.
    private func chain(_ count: Int, _ generator: inout SeededGenerator) -> [Frame] {
        var last = Revision(Int64(generator.number(0..<5)))
        var frames = [Frame(after: nil, revision: last, event: .live(last))]
        for _ in 0..<count {
            let next = Revision(last.rawValue + Int64(generator.number(1..<4)))
            frames.append(Frame(after: last, revision: next, event: .progress(next)))
            last = next
        }
        return frames
    }

    private func revisions(_ events: [ChangeEvent]) -> [Revision] {
        events.compactMap { event in
            switch event {
            case .progress(let revision), .live(let revision?): revision
            default: nil
            }
        }
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>) func whatPassesIsWhatIsReceived(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var frames = chain(40, &generator)
        // Some come twice, some late.
        for _ in 0..<10 { frames.append(generator.pick(frames)) }
        for _ in 0..<10 {
            frames.swapAt(generator.number(1..<frames.count), generator.number(1..<frames.count))
        }
        var (passing, receiving) = (FrameOrder(), FrameOrder())
        for frame in frames {
            let expected = receiving.receive(
                after: frame.after,
                revision: frame.revision,
                event: frame.event
            )
            let events =
                passing.passes(after: frame.after, revision: frame.revision)
                ? [frame.event]
                : passing.receive(after: frame.after, revision: frame.revision, event: frame.event)
            #expect(revisions(events) == revisions(expected))
            #expect(passing.last == receiving.last && passing.waitingCount == receiving.waitingCount)
        }
    }

    @Test(
        "A frame of another epoch begins a chain of its own, after a gap",
        arguments: [2, 9, 50] as [Int64]
    )
    func anotherEpochBeginsAnew(number: Int64) {
        let (old, new) = (Epoch(rawValue: 1), Epoch(rawValue: 2))
        let begin = Revision(9, epoch: old)
        var order = FrameOrder()
        _ = order.receive(after: nil, revision: begin, event: .live(begin))
        let late = Revision(12, epoch: old)
        #expect(
            order.receive(after: Revision(11, epoch: old), revision: late, event: .progress(late)).isEmpty
        )
        #expect(order.hasHole)
        let next = Revision(number, epoch: new)
        let hasPassed = order.passes(after: Revision(number - 1, epoch: new), revision: next)
        #expect(!hasPassed)
        let events = order.receive(
            after: Revision(number - 1, epoch: new),
            revision: next,
            event: .progress(next)
        )
        guard events.count == 2, case .reset = events[0], case .live(let revision) = events[1] else {
            Issue.record("reset and live expected, not \(events)")
            return
        }
        #expect(revision == next && order.last == next && !order.hasHole)
        let goesOn = order.passes(after: next, revision: next.next)
        #expect(goesOn)
    }

    @Test func framesInOrderPassAtOnce() {
        var generator = SeededGenerator(seed: 1)
        var order = FrameOrder()
        for frame in chain(20, &generator) {
            let events = order.receive(after: frame.after, revision: frame.revision, event: frame.event)
            #expect(revisions(events) == [frame.revision])
            #expect(!order.hasHole && order.last == frame.revision)
        }
    }

    @Test func shuffledAndRepeatedFramesComeInOrderAndOnce() {
        for seed in UInt64(0)..<500 {
            var generator = SeededGenerator(seed: seed)
            let frames = chain(30, &generator)
            var sent = frames.flatMap { Array(repeating: $0, count: generator.number(1..<4)) }
            for index in sent.indices {
                sent.swapAt(index, generator.number(max(0, index - 8)..<min(sent.count, index + 8)))
            }
            var order = FrameOrder()
            let events = sent.flatMap {
                order.receive(after: $0.after, revision: $0.revision, event: $0.event)
            }
            #expect(revisions(events) == frames.map(\.revision), "seed \(seed)")
            #expect(!order.hasHole && !order.isBroken)
        }
    }

    @Test func nothingBehindALostFramePasses() {
        for seed in UInt64(0)..<200 {
            var generator = SeededGenerator(seed: seed)
            let frames = chain(30, &generator)
            let lost = generator.number(1..<30)
            var order = FrameOrder()
            let events = frames.enumerated().filter { $0.offset != lost }.flatMap { _, frame in
                order.receive(after: frame.after, revision: frame.revision, event: frame.event)
            }
            #expect(revisions(events) == frames[..<lost].map(\.revision), "seed \(seed)")
            #expect(order.hasHole && order.last == frames[lost - 1].revision)
        }
    }

    @Test func moreFramesThanTheLimitBreakIt() {
        var generator = SeededGenerator(seed: 3)
        var order = FrameOrder(limit: 4)
        for (number, frame) in chain(8, &generator).enumerated() where number != 1 {
            _ = order.receive(after: frame.after, revision: frame.revision, event: frame.event)
            #expect(order.waitingCount <= 4)
            #expect(order.isBroken == (number > 5))
        }
    }

    @Test func aHeartbeatShowsThatTheLastFrameIsMissing() {
        var order = FrameOrder()
        _ = order.receive(after: nil, revision: Revision(4), event: .live(Revision(4)))
        _ = order.receive(after: Revision(4), revision: Revision(4), event: .progress(Revision(4)))
        #expect(!order.hasHole)
        _ = order.receive(after: Revision(6), revision: Revision(6), event: .progress(Revision(6)))
        #expect(order.hasHole && order.last == Revision(4))
    }

    @Test func aResetSaysFromWhereOnItIsComplete() {
        var order = FrameOrder()
        _ = order.receive(after: nil, revision: Revision(4), event: .live(Revision(4)))
        let events = order.receive(after: Revision(4), revision: Revision(9), event: .reset)
        guard case .reset? = events.first, case .live(let revision)? = events.last else {
            Issue.record("Not a reset and the revision behind it: \(events)")
            return
        }
        #expect(revision == Revision(9) && events.count == 2 && order.last == Revision(9))
    }
}
