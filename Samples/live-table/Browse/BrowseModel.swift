import RemoteData

/// What the browser shows, and what keys make of it: a value, without a terminal or a table.
struct BrowseModel: Sendable {
    /// What is on the screen.
    enum Mode: Sendable {
        /// The list of rows.
        case list
        /// The list, while a text to find is typed.
        case typing(String)
        /// One row, every column whole.
        case row(RowView)
        /// The keys.
        case help(TextWindow)
    }

    /// What a key asks for beyond another view.
    enum Request: Sendable, Equatable {
        case quit, suspend, search(Search), stopSearch
    }

    /// The list of rows.
    var list: BrowseState
    /// What is on the screen.
    private(set) var mode = Mode.list
    /// The last search.
    private(set) var search: Search?
    /// The columns seen so far, in the order of the table.
    var columns: [String] = []
    /// The columns to show in the list; nil for all.
    let chosenColumns: [String]?

    init(_ list: BrowseState, chosenColumns: [String]? = nil) {
        self.list = list
        self.chosenColumns = chosenColumns
    }

    /// The columns of the list, which a search looks at.
    var listColumns: [String] { chosenColumns ?? columns }

    /// How many lines of a text fit above the foot; there is a title where there is room for it.
    var textHeight: Int { max(1, list.size.rows - (list.size.rows > 2 ? 2 : 1)) }

    /// Makes of the view what a key means.
    ///
    /// - Parameter key: The key.
    /// - Returns: What is to be done beside that; nil for nothing.
    mutating func handle(_ key: Key) -> Request? {
        if key == .interrupt { return .quit }
        if key == .suspend { return .suspend }
        switch mode {
        case .list: return handleInList(key)
        case .typing(let text): return handle(key, typing: text)
        case .row(var view):
            let count = view.lines(columns, width: list.size.columns).count
            view.window.handle(key, count: count, height: textHeight)
            mode = Self.goesBack(key) ? .list : .row(view)
        case .help(var window):
            let count = BrowseHelp.lines(width: list.size.columns).count
            window.handle(key, count: count, height: textHeight)
            mode = Self.goesBack(key) || key == .character("?") ? .list : .help(window)
        }
        return nil
    }

    private static func goesBack(_ key: Key) -> Bool {
        [.escape, .character("q"), .character("Q")].contains(key)
    }

    private mutating func handleInList(_ key: Key) -> Request? {
        if search?.isRunning == false { search?.isShown = false }
        switch key {
        case .character("q"), .character("Q"): return .quit
        case .character("?"): mode = .help(TextWindow())
        case .character("/"): mode = .typing("")
        case .character("n"): return search.flatMap { find($0.text, isForward: true) }
        case .character("N"): return search.flatMap { find($0.text, isForward: false) }
        case .escape:
            guard search?.isRunning == true else { return nil }
            search?.progress = .stopped
            return .stopSearch
        case .enter: if list.count > 0 { mode = .row(RowView()) }
        default: list.handle(key, columnCount: listColumns.count)
        }
        return nil
    }

    private mutating func handle(_ key: Key, typing text: String) -> Request? {
        switch key {
        case .character(let character): mode = .typing(text + String(character))
        case .backspace: mode = text.isEmpty ? .list : .typing(String(text.dropLast()))
        case .escape: mode = .list
        case .enter:
            mode = .list
            // As in other programs, nothing typed is the text of the last search.
            guard !text.isEmpty else { return search.flatMap { find($0.text, isForward: true) } }
            return find(text, isForward: true, includesCursor: true)
        default: break
        }
        return nil
    }

    private mutating func find(_ text: String, isForward: Bool, includesCursor: Bool = false) -> Request {
        let next = Search(
            number: (search?.number ?? 0) + 1,
            text: text,
            isForward: isForward,
            includesCursor: includesCursor
        )
        search = next
        return .search(next)
    }
}

// MARK: - What happens

extension BrowseModel {
    /// Takes in how far the last search has come; a match becomes the chosen row.
    mutating func note(_ progress: Search.Progress, of number: Int) {
        guard search?.number == number, search?.isRunning == true else { return }
        search?.progress = progress
        if case .found(let match) = progress {
            list.choose(match.position)
            if let column = listColumns.firstIndex(of: match.column) { list.show(column: column) }
        }
    }

    /// Takes in a change of the rows.
    mutating func apply(_ change: CollectionChange<LiveRow>, at time: ContinuousClock.Instant) {
        list.apply(change, at: time)
        guard case .row(var view) = mode else { return }
        view.apply(change, idColumn: list.idColumn)
        mode = .row(view)
    }

    /// The position of the row that is open and on its way; nil when there is none.
    var missingRow: Int? {
        guard case .row(let view) = mode, view.row == nil else { return nil }
        return list.cursor
    }

    /// Takes in the row that is open, when it was on its way.
    mutating func fill(_ row: LiveRow) {
        guard case .row(var view) = mode else { return }
        view.fill(row)
        mode = .row(view)
    }
}
