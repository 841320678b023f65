import RemoteDataTesting
import Testing

@testable import RemoteData

/// Events that are taken in the consumer's place by whoever hands them on.
@Suite(.timeLimit(.minutes(1))) struct ChangeFeedTakingTests {
    private let feed = ChangeFeed()
    /// Who got which event, in that order.
    private let log = Watched<[String]>([])

    private func change(_ revision: Int64) -> ChangeEvent {
        .change(Change(revision: Revision(revision), kind: .deleted, id: "1"))
    }

    private func note(_ who: String, _ events: [ChangeEvent]) {
        let lines = events.map { "\(who) \($0.revision?.rawValue ?? 0)" }
        log.change { $0 += lines }
    }

    private func read() {
        Task { [feed, log] in
            while true {
                let events = await feed.nextBatch()
                if events.isEmpty { break }
                note("read", events)
            }
            log.change { $0.append("end") }
        }
    }

    /// Hands on one event after another until the consumer waits, and so one is taken.
    ///
    /// - Returns: The revision of the last one.
    private func handOnUntilTaken() async -> Int64 {
        var revision: Int64 = 0
        repeat {
            await Task.yield()
            revision += 1
            feed.handOnAtOnce([change(revision)])
        } while !log.value.contains { $0.hasPrefix("taken") }
        return revision
    }

    private func revisions(_ lines: [String]) -> [Int64] {
        lines.compactMap { Int64($0.split(separator: " ").last ?? "") }
    }

    @Test func fewEventsAreTakenWhileTheConsumerWaitsAndManyAreRead() async {
        feed.setTaker { events in
            note("taken", events)
            return true
        }
        read()
        let last = await handOnUntilTaken()
        #expect(log.value.last == "taken \(last)")
        let more = (last + 1)...(last + 5)
        feed.handOnAtOnce(more.map { change($0) })
        feed.finish()
        await log.wait { $0.last == "end" }
        #expect(revisions(log.value) == Array(1...more.upperBound))
        #expect(log.value.suffix(6) == more.map { "read \($0)" } + ["end"])
    }

    @Test func whatIsNotTakenIsRead() async {
        feed.setTaker { events in
            log.change { $0.append("taken") }
            return false
        }
        read()
        let last = await handOnUntilTaken()
        feed.finish()
        await log.wait { $0.last == "end" }
        #expect(revisions(log.value) == Array(1...last))
    }

    @Test func nothingIsTakenWhereNobodyWaits() async {
        feed.setTaker { events in
            note("taken", events)
            return true
        }
        feed.handOnAtOnce([change(1)])
        #expect(log.value == [])
        #expect(await feed.nextBatch().count == 1)
    }

    @Test func whatComesMeanwhileIsReadAfterWhatIsLeft() async {
        feed.setTaker { [feed] events in
            feed.send(change(1_000_000))
            feed.finish()
            log.change { $0.append("taken") }
            return false
        }
        read()
        let last = await handOnUntilTaken()
        await log.wait { $0.last == "end" }
        #expect(revisions(log.value) == Array(1...last) + [1_000_000])
    }

    @Test(arguments: [true, false]) func whoeverIsCancelledMeanwhileGetsNothing(isTaken: Bool) async {
        feed.setTaker { [feed, log] _ in
            feed.cancel()
            log.change { $0.append("taken") }
            return isTaken
        }
        read()
        _ = await handOnUntilTaken()
        await log.wait { $0.contains("end") }
        #expect(await feed.nextBatch().isEmpty)
    }
}
