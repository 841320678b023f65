import RemoteData
import RemoteDataExecution

/// Decides what is told to those who follow one collection, and when a server is asked for it.
///
/// A round begins with a look at the collection itself where the last one is old: that it was not made anew, when all its
/// changes are others. Then it asks for everything that was changed after what was told, page by page; without a filter, since
/// nothing is said of rows that leave one. Who comes during a round waits for the next.
///
/// Each method is an event and returns what is to be done, in order. It holds no network, no clock and no feed.
struct KintoSubscriptions: Sendable {
    enum Action: Sendable {
        /// Look at the collection and a sample of its rows after an id; call
        /// ``KintoSubscriptions/looked(_:_:_:_:at:)``.
        case look(Int, after: RowID?)
        /// Ask for changes, and tell the answer.
        case ask(Int, since: Revision)
        /// Call ``KintoSubscriptions/due(_:at:)`` after the usual time.
        case wait(Int)
        /// Call ``KintoSubscriptions/due(_:at:)`` after a while that grows with the number of failures.
        case waitLonger(Int, failures: Int, because: RemoteDataError)
        /// Wait for nothing any more.
        case stop
        /// Hand events to a subscriber.
        case deliver(Int, [ChangeEvent])
        /// End a subscriber's feed.
        case finish(Int)
    }

    typealias Identity = KintoIdentity

    /// How old the last look at the collection becomes.
    private let lookAge: Duration

    private enum Phase {
        /// Nobody follows.
        case idle
        case looking
        case asking(Round)
        /// Until a time, or something new.
        case waiting
    }

    /// What has been seen in a round.
    private struct Round {
        /// When it began.
        let time: Duration
        /// What was told then.
        let told: Revision
        /// Where it goes on.
        var position: Revision
        /// The table's revision, by the first answer.
        var revision: Revision?
        /// The last change.
        var last = Revision.zero
    }

    private var subscribers: [Int: KintoSubscriber] = [:]
    private var phase = Phase.idle
    /// The number of the round; what comes of an earlier one is passed over.
    private var number = 0
    /// Everything up to here was told; nil before the first look, and when what was told is of no use any more.
    private var told: Revision?
    /// Since when nothing later was told.
    private var toldTime = Duration.zero
    /// Whether so long after that a round has found nothing that was stamped earlier, and nothing will.
    private var isSettled = false
    private var recent: KintoRecentChanges
    private var identity: Identity?
    private var lookTime: Duration?
    /// The latest revision that an answer to somebody else has shown.
    private var noted: Revision?
    private var failures = 0
    /// Whether the last round has found that something was changed, and nothing that tells what.
    private var wasDoubtful = false
    /// Whether an answer was older than what was told, and none has come since that was not.
    private var hasGoneBack = false
    /// Until when the server wants to be left alone.
    private var rest: Duration?
    /// Finds rows whose changes have stamps of the past.
    private var audit = RowAudit()
    /// What the look of the round has found, and the table's revision before the rows were counted.
    private var look: (rows: RowAudit.Look, revision: Revision)?
    /// Where the next sample of rows begins.
    private var sampleStart: RowID?
    /// The table's revision when rows were counted first, or anew where changes did not explain a count.
    private var countedFrom: Revision?

    /// - Parameters:
    ///   - overlap: How much later than others with younger stamps a change may come to light.
    ///   - lookAge: How old a look at the collection becomes.
    init(overlap: Duration, lookAge: Duration = .seconds(60)) {
        recent = KintoRecentChanges(overlap)
        self.lookAge = lookAge
    }
}

// MARK: - Subscribers

extension KintoSubscriptions {
    /// Somebody subscribes.
    mutating func begin(_ id: Int, _ query: Query, since revision: Revision?, at now: Duration) -> [Action] {
        subscribers[id] = KintoSubscriber(query, since: revision)
        return canBegin(at: now) ? beginRound(at: now) : []
    }

    /// A subscriber has left.
    mutating func end(_ id: Int) -> [Action] {
        subscribers[id] = nil
        guard subscribers.isEmpty else { return [] }
        number += 1
        phase = .idle
        (told, identity, lookTime, noted, failures) = (nil, nil, nil, nil, 0)
        (wasDoubtful, hasGoneBack, rest) = (false, false, nil)
        recent.forgetAll()
        forgetRows()
        return [.stop]
    }

    private mutating func forgetRows() {
        (audit, look, sampleStart, countedFrom) = (RowAudit(), nil, nil, nil)
    }

    /// An answer to somebody else has shown that the table has reached a revision.
    mutating func note(_ revision: Revision, at now: Duration) -> [Action] {
        guard !subscribers.isEmpty, told.map({ revision > $0 }) ?? true else { return [] }
        noted = max(revision, noted ?? revision)
        return canBegin(at: now) ? beginRound(at: now) : []
    }

    /// The time to ask again has come.
    mutating func due(_ number: Int, at now: Duration) -> [Action] {
        guard number == self.number, case .waiting = phase else { return [] }
        return beginRound(at: now)
    }

    /// Whether a round may begin before its time.
    private func canBegin(at now: Duration) -> Bool { isBetweenRounds && rest.map { now >= $0 } ?? true }

    private var isBetweenRounds: Bool {
        switch phase {
        case .idle, .waiting: true
        case .looking, .asking: false
        }
    }
}

// MARK: - Rounds

extension KintoSubscriptions {
    private mutating func beginRound(at now: Duration) -> [Action] {
        number += 1
        noted = nil
        for id in subscribers.keys { subscribers[id]?.isWaiting = false }
        let isOld = lookTime.map { now - $0 >= lookAge } ?? true
        guard isOld || told == nil else { return ask(at: now) }
        phase = .looking
        return [.look(number, after: sampleStart)]
    }

    /// The collection was looked at.
    ///
    /// - Parameters:
    ///   - number: The round.
    ///   - identity: What it is known by.
    ///   - revision: The table's revision after that, which Kinto reads before it counts the rows.
    ///   - look: The number of its rows and a sample; nil where they are not compared.
    ///   - now: The time.
    /// - Returns: What to do.
    mutating func looked(
        _ number: Int,
        _ identity: Identity,
        _ revision: Revision,
        _ look: RowAudit.Look? = nil,
        at now: Duration
    ) -> [Action] {
        guard number == self.number, case .looking = phase else { return [] }
        if let known = self.identity, known != identity { loseTrack() }
        (self.identity, lookTime) = (identity, now)
        self.look = look.map { (rows: $0, revision: revision) }
        if told == nil {
            recent.forgetAll()
            (told, toldTime, isSettled) = (revision, now, false)
        }
        return ask(at: now)
    }

    /// Whether all changes since a revision can be told.
    ///
    /// - Parameters:
    ///   - since: The revision.
    ///   - revision: That of the table; nil while it is not known.
    /// - Returns: Whether they can.
    private func canResume(_ since: Revision, at revision: Revision?) -> Bool {
        switch identity {
        case .stamp(let made): made <= since && since <= revision ?? since
        case .hidden, nil: since == revision ?? since
        }
    }

    private mutating func giveUpResuming(at revision: Revision?) {
        for (id, subscriber) in subscribers {
            guard case .resuming(let since) = subscriber.place, !subscriber.isWaiting else { continue }
            if !canResume(since, at: revision) { subscribers[id]?.giveUpResuming() }
        }
    }

    /// What was told is of no use any more.
    private mutating func loseTrack() {
        (told, lookTime) = (nil, nil)
        forgetRows()
        for id in subscribers.keys { subscribers[id]?.loseTrack() }
    }

    private mutating func ask(at now: Duration) -> [Action] {
        guard let told else { return [] }
        giveUpResuming(at: nil)
        var start = isSettled ? told : recent.start(from: told)
        for case .resuming(let since) in subscribers.values.filter({ !$0.isWaiting }).map(\.place) {
            start = min(start, recent.start(from: since))
        }
        phase = .asking(Round(time: now, told: told, position: start))
        return [.ask(number, since: start)]
    }
}

// MARK: - Answers

extension KintoSubscriptions {
    /// A page of changes has come.
    mutating func answered(_ number: Int, _ list: KintoList, at now: Duration) -> [Action] {
        guard number == self.number, case .asking(var round) = phase else { return [] }
        if round.revision == nil, let revision = list.revision, revision < round.told {
            // Times do not go back but in another table of the same name, or an older state of it.
            loseTrack()
            guard hasGoneBack else {
                hasGoneBack = true
                return beginRound(at: now)
            }
            let error = RemoteDataError(
                .unavailable,
                "Kinto answers from one state of the table and then from an older one."
            )
            return failed(number, error, at: now)
        }
        if round.revision == nil { giveUpResuming(at: list.revision) }
        round.revision = round.revision ?? list.revision ?? round.told
        round.last = max(round.last, list.items.compactMap(\.row.revision).max() ?? .zero)
        guard !list.hasMore || round.last > round.position else {
            let error = RemoteDataError(
                .invalidAnswer,
                "Kinto says that there are more changes, and sends none or the same again."
            )
            return failed(number, error, at: now)
        }
        let actions = tell(list, round)
        guard list.hasMore else { return actions + endRound(round, at: now) }
        round.position = round.last
        phase = .asking(round)
        return actions + [.ask(number, since: round.position)]
    }

    /// Tells everybody what a page has in it for them.
    private mutating func tell(_ list: KintoList, _ round: Round) -> [Action] {
        let known = recent
        let actions = deliver { $0.take(list, told: round.told, known) }
        let start = recent.start(from: round.told)
        for item in list.items {
            guard let stamp = item.row.revision, stamp > start, !recent.holds(item.row.id, stamp) else {
                continue
            }
            recent.note(item.row.id, stamp)
            // What is stamped earlier was made before the rows were counted, and a whole sample shows it.
            if let look, look.rows.isWhole || stamp > look.revision { audit.begin() }
            audit.note(item.row.id, isPresent: !item.isRemoved, version: stamp.rawValue)
        }
        if recent.isFull { recent.forget(upTo: round.last) }
        return actions
    }

    /// What is delivered to those who take part in the round.
    private mutating func deliver(_ events: (inout KintoSubscriber) -> [ChangeEvent]) -> [Action] {
        subscribers.keys.sorted().compactMap { id in
            guard var subscriber = subscribers[id], !subscriber.isWaiting else { return nil }
            let events = events(&subscriber)
            subscribers[id] = subscriber
            return events.isEmpty ? nil : .deliver(id, events)
        }
    }

    private mutating func endRound(_ round: Round, at now: Duration) -> [Action] {
        let reached = max(round.told, round.revision ?? round.told, round.last)
        let hasMoved = reached > round.told
        if hasMoved {
            (told, toldTime, isSettled) = (reached, now, false)
        } else if round.time - toldTime >= recent.overlap {
            isSettled = true
        }
        recent.forget(upTo: reached)
        let isBlind = hasMoved && identity == .hidden
        let hasMissed = !endLook()
        if isBlind { forgetRows() }
        let counted = countedFrom
        let actions = deliver { $0.arrive(at: reached, isBlind: isBlind || hasMissed, countedFrom: counted) }
        phase = .waiting
        failures = 0
        // Something was changed, and nothing tells what: perhaps it is another table by now.
        let isDoubtful = hasMoved && round.last <= round.told && identity != .hidden
        if isDoubtful { lookTime = nil }
        let looksAtOnce = isDoubtful && !wasDoubtful
        (wasDoubtful, hasGoneBack) = (isDoubtful, false)
        let isWanted = subscribers.values.contains(where: \.isWaiting) || noted.map { $0 > reached } ?? false
        return actions + (isWanted || looksAtOnce ? beginRound(at: now) : [.wait(number)])
    }

    /// Ends the look of the round, if there was one.
    ///
    /// - Returns: Whether the changes explain what it has found.
    private mutating func endLook() -> Bool {
        guard let look = look.take() else {
            audit.abandon()
            return true
        }
        sampleStart = look.rows.isWhole ? nil : look.rows.next
        let agrees = audit.end(look.rows)
        if !agrees || countedFrom == nil { countedFrom = look.revision }
        return agrees
    }

    /// Notes rows of a page, which were there before the changes that are still to come.
    mutating func noteRead(_ rows: [Row]) {
        for id in subscribers.keys {
            for row in rows { subscribers[id]?.noteRead(row) }
        }
        guard !subscribers.isEmpty, let told else { return }
        let latest = recent.start(from: told)
        for row in rows {
            if let stamp = row.revision, stamp <= latest { audit.noteRead(row.id, version: stamp.rawValue) }
        }
    }

    /// The server could not be asked, or has refused.
    mutating func failed(_ number: Int, _ error: RemoteDataError, at now: Duration) -> [Action] {
        guard number == self.number, !isBetweenRounds else { return [] }
        failures += 1
        look = nil
        audit.abandon()
        rest = error.retryAfter.map { now + $0 }
        // As a guest, or while the table was gone, the program was told of nothing.
        let isBlinding = Self.blindingCodes.contains(error.code)
        if isBlinding { loseTrack() }
        var actions: [Action] = []
        for id in subscribers.keys.sorted() {
            guard var subscriber = subscribers[id] else { continue }
            let events = subscriber.interrupt(error)
            // Something in between may have answered: who was told something goes on, unless the server is closed.
            let isOver = !error.isTransient && (!subscriber.hasBeenLive || error.status == 410)
            subscribers[id] = isOver ? nil : subscriber
            if !events.isEmpty || isOver {
                actions.append(.deliver(id, isOver ? [.interrupted(error)] : events))
            }
            if isOver { actions.append(.finish(id)) }
        }
        guard !subscribers.isEmpty else { return actions + end(0) }
        phase = .waiting
        return actions + [.waitLonger(number, failures: failures, because: error)]
    }

    /// Refusals that end when a table or a permission is there again.
    private static let blindingCodes: Set<RemoteDataError.Code> = [.unauthorized, .forbidden, .notFound]
}
