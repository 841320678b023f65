import RemoteData

/// Compares the rows of a table with those that the reported changes explain.
///
/// Some servers leave changes out, such as rows that a rule withdraws or records imported with a time of the
/// past. A look counts the rows and reads a sample of them; ``agrees(with:)`` returns whether the changes
/// explain what it has found.
///
/// A change during a look may or may not be part of its answer, and a change of an unknown row may or may not
/// have created it. Both widen what agrees, until a look during which nothing changes or whose sample is all
/// rows.
struct RowAudit: Sendable {
    /// The rows of a table at some moment.
    struct Look: Sendable {
        /// How many rows there are.
        var count: Int
        /// Some rows, with their versions.
        var sample: [(id: RowID, version: Int64)] = []
        /// Whether the sample is all rows.
        var isWhole = false
        /// Whether the sample is the first rows, in the order of the bytes of their ids.
        var isFirst = false
        /// Where another sample begins; nil where this one reaches to the end.
        var next: RowID?
    }

    /// A row of which it is not known whether it was counted, or whether it is there.
    private struct Doubt {
        var isCounted: Bool?
        var isPresent: Bool?
        var version: Int64

        /// By how many rows at least and at most the table differs from what was counted, for this row.
        var range: ClosedRange<Int> {
            let least = (isPresent == true ? 1 : 0) - (isCounted == false ? 0 : 1)
            let most = (isPresent == false ? 0 : 1) - (isCounted == true ? 1 : 0)
            return least...most
        }
    }

    /// A row that has changed during a look.
    private struct Move {
        let before: Bool?
        var now: Bool?
        var version: Int64

        /// What its part in a count differs by from what it is now.
        var slack: ClosedRange<Int> {
            switch (before, now) {
            case (true?, true?), (false?, false?): 0...0
            case (true?, false?): 0...1
            case (false?, true?): -1...0
            default: -1...1
            }
        }
    }

    /// How many rows are remembered, by the hashes of their ids.
    static let limit = 20_000
    /// How many doubts are kept through looks that changes overlap with.
    private static let doubtLimit = 1_000

    /// How many rows there are: those of the last count, and what has changed since; nil before the first.
    private var count: Int?
    /// Rows that are there, with their versions.
    private var known: [Int: Int64] = [:]
    private var doubts: [Int: Doubt] = [:]
    /// The rows of the last sample of first rows.
    private var firstRows: [RowID] = []
    /// Changes since a look began; nil before that.
    private var moves: [Int: Move]?

    /// Whether all rows are known.
    private var isComplete: Bool { count == known.count && doubts.isEmpty }

    private mutating func know(_ mark: Int, _ version: Int64) {
        if known.count < Self.limit || known[mark] != nil { known[mark] = version }
    }
}

// MARK: - Changes and pages

extension RowAudit {
    /// A change was reported.
    ///
    /// - Parameters:
    ///   - id: The row.
    ///   - isPresent: Whether it is there now; nil while the row is read.
    ///   - wasPresent: Whether it was there before; nil where the change does not show it.
    ///   - version: Its version.
    mutating func note(_ id: RowID, isPresent: Bool?, wasPresent: Bool? = nil, version: Int64 = 0) {
        let mark = id.hashValue
        // A page may have shown what a change has created before that is reported.
        let before = wasPresent ?? presence(mark)
        if moves != nil {
            let first = moves?[mark].map(\.before) ?? before
            moves?[mark] = Move(before: first, now: isPresent, version: version)
        }
        guard count != nil else {
            if isPresent == true { know(mark, version) } else { known[mark] = nil }
            return
        }
        var doubt = doubts[mark] ?? Doubt(isCounted: before, isPresent: isPresent, version: version)
        (doubt.isPresent, doubt.version) = (isPresent, version)
        settle(mark, doubt)
    }

    /// Returns whether a row is there; nil where the reported changes and pages do not show it.
    func isPresent(_ id: RowID) -> Bool? { presence(id.hashValue) }

    private func presence(_ mark: Int) -> Bool? {
        if known[mark] != nil { return true }
        if let doubt = doubts[mark] { return doubt.isPresent }
        return isComplete ? false : nil
    }

    private mutating func settle(_ mark: Int, _ doubt: Doubt) {
        known[mark] = nil
        guard let isCounted = doubt.isCounted, let isPresent = doubt.isPresent else {
            doubts[mark] = doubt
            return
        }
        doubts[mark] = nil
        count? += (isPresent ? 1 : 0) - (isCounted ? 1 : 0)
        if isPresent { know(mark, doubt.version) }
    }

    /// Notes a row of a page.
    mutating func noteRead(_ id: RowID, version: Int64 = 0) {
        let mark = id.hashValue
        // Where all rows are known, another one is outdated or to be found, as another version is.
        guard known[mark] == nil, doubts[mark] == nil, moves?[mark] == nil, !isComplete else { return }
        know(mark, version)
    }
}

// MARK: - Looks

extension RowAudit {
    /// A look begins: it may or may not have counted the changes that are noted from here on.
    mutating func begin() { if moves == nil { moves = [:] } }

    /// A look has failed.
    mutating func abandon() { moves = nil }

    /// Returns whether the reported changes explain what a look has found.
    ///
    /// - Complexity: O(rows that are known), for a sample of all rows; O(doubts + sample) otherwise.
    func agrees(with look: Look) -> Bool {
        let moves = moves ?? [:]
        let marks = look.sample.map { (mark: $0.id.hashValue, version: $0.version) }
        if look.isWhole {
            let found = Set(marks.map(\.mark))
            guard known.keys.allSatisfy({ found.contains($0) || moves[$0] != nil }) else { return false }
        }
        guard explainsFirstRows(look) else { return false }
        guard let count else { return true }
        var (least, most) = (count, count)
        for (mark, doubt) in doubts {
            let slack = moves[mark].map { _ in 1 } ?? 0
            least += doubt.range.lowerBound - slack
            most += doubt.range.upperBound + slack
        }
        for (mark, move) in moves where doubts[mark] == nil {
            least += move.slack.lowerBound
            most += move.slack.upperBound
        }
        guard least...most ~= look.count else { return false }
        let isComplete = isComplete
        return marks.allSatisfy { mark, version in
            guard doubts[mark] == nil, moves[mark] == nil else { return true }
            return known[mark].map { $0 == version } ?? !isComplete
        }
    }

    /// Returns whether the reported changes explain how the first rows differ from those of the last look.
    ///
    /// As many rows may have come as have gone, which no count shows.
    private func explainsFirstRows(_ look: Look) -> Bool {
        guard look.isFirst, let lastKnown = firstRows.last, let last = look.sample.last?.id else {
            return true
        }
        let isUnchanged = { (mark: Int) in doubts[mark] == nil && moves?[mark] == nil }
        let found = Set(look.sample.map(\.id.hashValue))
        let isGone = firstRows.contains { id in
            let mark = id.hashValue
            return !found.contains(mark) && known[mark] != nil && isUnchanged(mark) && Self.precedes(id, last)
        }
        guard !isGone, known.count < Self.limit else { return !isGone }
        let before = Set(firstRows.map(\.hashValue))
        return !look.sample.contains { id, _ in
            let mark = id.hashValue
            return !before.contains(mark) && known[mark] == nil && isUnchanged(mark)
                && Self.precedes(id, lastKnown)
        }
    }

    private static func precedes(_ left: RowID, _ right: RowID) -> Bool {
        Value.order(left.value, right.value) == .ascending
    }

    /// Ends a look; where it does not agree, counting starts over from it.
    ///
    /// - Returns: Whether the reported changes explain what it has found.
    mutating func end(_ look: Look) -> Bool {
        let agrees = agrees(with: look)
        let moves = self.moves.take() ?? [:]
        // The next look may show what changes during this one hide.
        let isSure = moves.isEmpty || doubts.count > Self.doubtLimit
        if look.isWhole {
            takeAll(look.sample, moves)
        } else if count == nil || !agrees || (isSure && !doubts.isEmpty) {
            if !agrees { known = [:] }
            recount(look.count, moves)
        }
        if look.isFirst { firstRows = look.sample.map(\.id) }
        for (id, version) in look.sample where moves[id.hashValue] == nil { noteRead(id, version: version) }
        return agrees
    }

    /// Knows exactly the rows of a sample of all rows, and what has changed during the look.
    ///
    /// Whether a row was among them shows what a change during the look has made of their number.
    private mutating func takeAll(_ sample: [(id: RowID, version: Int64)], _ moves: [Int: Move]) {
        var changed = doubts.filter { $0.value.isPresent == nil }
        for (mark, move) in moves {
            changed[mark] = Doubt(isCounted: nil, isPresent: move.now, version: move.version)
        }
        let counted = Set(sample.map(\.id.hashValue))
        (count, known, doubts) = (sample.count, [:], [:])
        for (id, version) in sample { know(id.hashValue, version) }
        for (mark, var doubt) in changed {
            doubt.isCounted = counted.contains(mark)
            settle(mark, doubt)
        }
    }

    private mutating func recount(_ count: Int, _ moves: [Int: Move]) {
        self.count = count
        for (mark, doubt) in doubts where doubt.isPresent == true { know(mark, doubt.version) }
        doubts = doubts.filter { $0.value.isPresent == nil }
        for mark in doubts.keys { doubts[mark]?.isCounted = nil }
        for (mark, move) in moves {
            // What was there before and after is part of the count.
            let isCounted = move.before == move.now ? move.now : nil
            settle(mark, Doubt(isCounted: isCounted, isPresent: move.now, version: move.version))
        }
    }
}
