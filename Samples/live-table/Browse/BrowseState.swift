import RemoteData

/// What the browser shows of the rows: a value that keys and changes move, without a terminal or a table.
struct BrowseState: Sendable {
    /// A line of the list.
    enum Line: Sendable {
        /// The row at a position.
        case row(Int)
        /// A row that is gone and still shown for a moment.
        case ghost(Marks.Ghost)
    }

    /// The size of the terminal.
    var size: TerminalSize
    /// How many rows there are.
    private(set) var count: Int
    /// The position of the first row on the screen.
    private(set) var top = 0
    /// The position of the chosen row.
    private(set) var cursor = 0
    /// How many columns are pushed out to the left.
    private(set) var firstColumn = 0
    /// The columns that the last frame has shown whole.
    var shownColumns = 0..<1
    /// What has just changed.
    var marks = Marks()
    /// The rows on the screen, by position.
    var drawn: [Int: LiveRow] = [:]
    /// The column that holds the ids of rows.
    var idColumn = LiveRow.idName

    init(size: TerminalSize, count: Int) {
        self.size = size
        self.count = count
    }

    /// How many lines stand above the rows: the title and the names of the columns, where there is room.
    var headerHeight: Int { min(2, max(0, size.rows - 2)) }

    /// How many rows fit between the header and the foot.
    var height: Int { max(1, size.rows - headerHeight - 1) }

    /// Takes in how many rows there are now, and keeps the view among them.
    mutating func setCount(_ count: Int) {
        self.count = count
        cursor = min(max(0, cursor), max(0, count - 1))
        top = min(max(0, top), max(0, count - height))
        if cursor < top { top = cursor }
        if cursor >= top + height { top = cursor - height + 1 }
    }

    /// Moves the view by a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - columnCount: How many columns there are.
    mutating func handle(_ key: Key, columnCount: Int) {
        switch key.movement {
        case .up: cursor -= 1
        case .down: cursor += 1
        case .pageUp:
            cursor -= height
            top -= height
        case .pageDown:
            cursor += height
            top += height
        case .home: cursor = 0
        case .end: cursor = count - 1
        case .left: firstColumn = max(0, firstColumn - 1)
        case .right: firstColumn = min(max(0, columnCount - 1), firstColumn + 1)
        default: break
        }
        setCount(count)
    }

    /// Makes the row at a position the chosen one, in the middle of the screen unless it is on it.
    mutating func choose(_ position: Int) {
        if !(top..<top + height).contains(position) { top = position - height / 2 }
        cursor = position
        setCount(count)
    }

    /// Begins with a column, unless it is among those on the screen of the last frame.
    mutating func show(column: Int) {
        if !shownColumns.contains(column) { firstColumn = column }
    }

    /// What is on the lines of the list, from the top.
    var lines: [Line] {
        var lines: [Line] = []
        var ghosts = marks.ghosts.drop { $0.position < top }
        for position in top..<max(top, min(count, top + height)) {
            while let ghost = ghosts.first, ghost.position <= position {
                lines.append(.ghost(ghost))
                ghosts.removeFirst()
            }
            lines.append(.row(position))
        }
        lines += ghosts.filter { $0.position <= top + height }.map { .ghost($0) }
        return Array(lines.prefix(height))
    }
}

// MARK: - Changes

extension BrowseState {
    /// Takes in a change: marks the rows, and keeps the chosen row chosen and on its line.
    mutating func apply(_ change: CollectionChange<LiveRow>, at time: ContinuousClock.Instant) {
        let gone = change.removed + change.moved.map(\.from)
        let come = change.inserted + change.moved.map(\.to)
        let removed = Set(change.ids)
        let vanished = drawn.filter { $0.value.id(in: idColumn).map { removed.contains($0) } ?? false }
        shift(gone: gone.sorted(), come: come.sorted())
        switch change.type {
        case .created: marks.mark(change.ids, .created, at: time)
        case .updated: marks.mark(change.ids, .updated, at: time)
        case .deleted, .bulkDeleted:
            for (position, row) in vanished.sorted(by: { $0.key < $1.key }) {
                marks.keep(row, at: position - gone.count { $0 < position }, since: time)
            }
        case .dataLoaded: break
        }
        drawn = [:]
    }

    private mutating func shift(gone: [Int], come: [Int]) {
        let isAtStart = top == 0 && cursor == 0
        func shifted(_ position: Int) -> Int {
            var position = position - gone.count { $0 < position }
            for place in come where place <= position { position += 1 }
            return position
        }
        marks.shift(shifted)
        guard !isAtStart else { return }
        (top, cursor) = (top == 0 ? 0 : shifted(top), shifted(cursor))
    }
}
