import Synchronization

/// What those who hold rows of a table, or models of them, in one space tell each other.
///
/// Knows of each row when a table spoke of it last, for as long as anything older may still be under way.
final class SharedTable: Sendable {
    /// What one tells the others.
    enum News: Sendable {
        /// What a table said of rows.
        ///
        /// - Parameters:
        ///   - isWhole: Whether the kinds of the changes are those of the whole table, rather than of a clause.
        ///   - source: The table.
        ///   - time: When, in the order of the manager.
        case changes([Change], isWhole: Bool, source: ObjectIdentifier?, time: UInt64)
        /// What was said of models, with when that was.
        ///
        /// - Parameter isOfRows: Whether the table's rows said it, so that whoever holds these is told of them otherwise.
        case models([ModelID: ModelNews], UInt64, isOfRows: Bool)
        /// There was more to be told than is kept.
        case missed
    }

    /// Says that models were told from rows of a table, so that those who hold rows need not be told of these.
    struct Origin: Sendable {
        let table: ObjectIdentifier
    }

    /// What a table said of a row last.
    private struct Word {
        /// When, in the order of the manager.
        let time: UInt64
        let revision: Revision?
        let source: ObjectIdentifier?
    }

    private struct State {
        var recent: [RowID: Word] = [:]
        var older: [RowID: Word] = [:]
        /// How many recent ones there are when the others are forgotten.
        var nextTurn = SharedTable.wordLimit
        /// When rows were read last, by when they were asked for.
        var reads: [RowID: UInt64] = [:]
        var olderReads: [RowID: UInt64] = [:]
        var isLooking = false
        /// Who looks again when the look under way has ended.
        var nextLooks: [ObjectIdentifier: @Sendable () -> Void] = [:]
        var members: [Int: @Sendable (News) -> Void] = [:]
        /// What is to be told when it is its turn, and to whom not, each part in a turn of its own.
        var kept: [[(news: News, member: Int?)]] = []
        var keptCount = 0
        var nextMember = 0

        func word(of id: RowID) -> Word? { recent[id] ?? older[id] }

        func read(of id: RowID) -> UInt64 { max(reads[id] ?? 0, olderReads[id] ?? 0) }

        /// Whether a word is newer than what is known.
        func takes(_ word: Word, of id: RowID) -> Bool {
            guard let known = self.word(of: id) else { return true }
            if known.source != nil, known.source == word.source, let last = known.revision,
                let revision = word.revision, revision.isOfSameHistory(as: last)
            {
                return revision > last
            }
            return known.time <= word.time
        }
    }

    /// How ids of models and of rows belong together.
    struct Naming {
        /// The kind of the models.
        var kind: String
        /// Whether rows are numbered; nil as long as no row is known.
        var isNumbered: Bool?
        /// Whether models were seen that are made of others.
        var hasParts = false
    }

    /// Learned from the first row that is known; until then rows have the table's name for a kind.
    let naming: Mutex<Naming>
    private let state = Mutex(State())

    init(_ name: String) { naming = Mutex(Naming(kind: name)) }

    /// How many rows are known before those of longest ago are forgotten.
    fileprivate static var wordLimit: Int { 4_096 }

    // MARK: Members

    /// Begins to tell somebody.
    ///
    /// - Returns: The number by which it is known.
    func join(_ hear: @escaping @Sendable (News) -> Void) -> Int {
        state.withLock { state in
            state.nextMember += 1
            state.members[state.nextMember] = hear
            return state.nextMember
        }
    }

    func leave(_ member: Int) {
        // Let go of when the lock is open: it may hold others.
        _ = state.withLock { $0.members.removeValue(forKey: member) }
    }

    /// Tells all but one.
    func tell(_ news: News, except member: Int? = nil) {
        let members = state.withLock { $0.members }
        for (number, hear) in members.sorted(by: { $0.key < $1.key }) where number != member { hear(news) }
    }

    /// How many changes are kept, and in how many turns.
    private static var keptLimits: (changes: Int, turns: Int) { (10_000, 1_000) }

    /// Keeps something to be told later.
    ///
    /// - Parameters:
    ///   - news: What.
    ///   - hasOwnTurn: Whether it is not to be told before other things that are said in front of it.
    ///   - member: Who is not told.
    /// - Returns: Whether a turn is to be asked for; otherwise it is told in the last that was.
    func keep(_ news: News, hasOwnTurn: Bool, except member: Int?) -> Bool {
        state.withLock { state in
            let limits = Self.keptLimits
            if case .changes(let changes, _, _, _) = news { state.keptCount += changes.count }
            if state.keptCount > limits.changes, !state.kept.isEmpty {
                // There are as many turns as were asked for.
                for turn in state.kept.indices { state.kept[turn] = [] }
                state.kept[state.kept.count - 1] = [(.missed, nil)]
                state.keptCount = 0
                return false
            }
            if state.kept.isEmpty || (hasOwnTurn && state.kept.count < limits.turns) {
                state.kept.append([(news, member)])
                return true
            }
            state.kept[state.kept.count - 1].append((news, member))
            return false
        }
    }

    /// Whether more was to be told than is kept, for tests.
    var hasMissed: Bool {
        state.withLock { state in
            state.kept.joined().contains { if case .missed = $0.news { true } else { false } }
        }
    }

    /// Tells what was kept for one turn.
    func tellKept() {
        let kept = state.withLock { state in
            if state.kept.count <= 1 { state.keptCount = 0 }
            return state.kept.isEmpty ? [] : state.kept.removeFirst()
        }
        for (news, member) in kept { tell(news, except: member) }
    }

    // MARK: Words

    /// Takes note of what a table says.
    ///
    /// - Parameters:
    ///   - changes: What it says, in order.
    ///   - source: The table.
    ///   - time: When, in the order of the manager.
    ///   - toldUntil: Up to when everything has been told.
    /// - Returns: What is news.
    func note(
        _ changes: [Change],
        from source: ObjectIdentifier?,
        at time: UInt64,
        toldUntil: UInt64
    ) -> [Change] {
        state.withLock { state in
            changes.filter { change in
                guard let id = change.id else { return true }
                // That a row left a clause says nothing of what it is now.
                let revision = change.left && change.row == nil ? nil : change.revision
                let word = Word(time: time, revision: revision, source: source)
                guard state.takes(word, of: id) else { return false }
                if state.recent.count >= state.nextTurn {
                    state.older = state.recent
                    // Older ones that were not told yet may still come behind newer ones.
                    state.recent = state.recent.filter { $0.value.time > toldUntil }
                    state.nextTurn = max(Self.wordLimit, state.recent.count * 2)
                }
                state.recent[id] = word
                return true
            }
        }
    }

    /// Whether a table has spoken of a row since a time.
    func hasWord(of id: RowID, after time: UInt64) -> Bool {
        state.withLock { max($0.word(of: id)?.time ?? 0, $0.read(of: id)) > time }
    }

    /// Takes note that rows were read, which were asked for at a time.
    func noteRead(_ rows: [Row], askedAt: UInt64) {
        state.withLock { state in
            if state.reads.count + rows.count > Self.wordLimit {
                (state.olderReads, state.reads) = (state.reads, [:])
            }
            for row in rows {
                let id = row.id
                state.reads[id] = max(askedAt, state.reads[id] ?? 0)
            }
        }
    }

    /// Whether a row is newer than what its table has said of it.
    func isHigher(_ revision: Revision?, of id: RowID, from source: ObjectIdentifier?) -> Bool {
        state.withLock { state in
            guard let revision, let source, let word = state.word(of: id), word.source == source,
                let last = word.revision
            else { return false }
            // A row that was read may be of an earlier history as well as of a later one; what a table tells
            // comes in its turn.
            return revision.isOfSameHistory(as: last) && revision > last
        }
    }

    /// Whether a table has spoken of a row lately.
    func hasWord(of id: RowID) -> Bool { state.withLock { $0.word(of: id) != nil } }

    // MARK: Looking again

    /// Begins to read again what may have been missed.
    ///
    /// - Parameters:
    ///   - asker: Who is to do so.
    ///   - later: Does so when those who do it now are done.
    /// - Returns: Whether to do so now.
    func beginLooking(_ asker: ObjectIdentifier, orLater later: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            guard state.isLooking else {
                state.isLooking = true
                return true
            }
            state.nextLooks[asker] = later
            return false
        }
    }

    /// Ends that, and begins again where it was asked for meanwhile.
    func endLooking() {
        let next = state.withLock { state in
            defer { (state.isLooking, state.nextLooks) = (false, [:]) }
            return state.nextLooks.values.map(\.self)
        }
        // The first of them begins, unless it is gone; the others wait for it.
        for look in next { look() }
    }
}
