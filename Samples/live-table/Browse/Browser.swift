import Foundation
import RemoteData
import Signals
import Synchronization

/// Shows a collection on the whole screen, and keeps showing it as it changes.
final class Browser: Sendable {
    /// What is to be done with the terminal before the next frame.
    enum TerminalStep: Sendable {
        case suspend, takeAgain
    }

    struct State {
        var model: BrowseModel
        /// Something was typed, or the terminal has another size: draw now, whatever else.
        var isUrgent = false
        var isOver = false
        /// A request failed: rows are not asked for again until then, unless something is typed.
        var pause: ContinuousClock.Instant?
        /// What failed last, and how many rows were here then; forgotten as soon as more are.
        var trouble: (words: String, loaded: Int)?
        var isTickPlanned = false
        var step: TerminalStep?
        /// The search under way.
        var searching: Task<Void, Never>?
    }

    private static let frameTime: Duration = .milliseconds(30)
    private static let pauseTime: Duration = .seconds(1)

    let rows: RemoteDataCollection<LiveRow>
    let table: ObservedTable
    private let title: String
    private let clock = ContinuousClock()
    /// Each change of the terminal's size, from before the size was first looked at.
    private let resizes = Signals.stream(of: [SIGWINCH])
    /// Each time that something else stops the program or continues it.
    private let stops = Signals.stream(of: [SIGTSTP, SIGCONT])
    let state: Mutex<State>
    private let pokes: AsyncStream<Void>
    private let poke: AsyncStream<Void>.Continuation

    init(_ rows: RemoteDataCollection<LiveRow>, _ table: ObservedTable, columns: [String]?, title: String) {
        self.rows = rows
        self.table = table
        self.title = title
        var list = BrowseState(size: .current, count: rows.count)
        list.idColumn = table.idColumn
        state = Mutex(State(model: BrowseModel(list, chosenColumns: columns)))
        (pokes, poke) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Draws until the user has seen enough.
    func run(on terminal: FullScreen) async throws(Failure) {
        rows.requestCompletedHandler = { [poke] in poke.yield() }
        rows.errorHandler = { [weak self] in self?.note($0) }
        FullScreen.readKeys { [weak self] in self?.type($0) }
        poke.yield()
        defer { state.withLock { $0.searching }?.cancel() }
        try await race(
            { try await self.draw(on: terminal) },
            { for await change in self.rows.changes { self.note(change) } },
            { for await _ in self.rows.liveStatuses { self.noteStatus() } },
            { for await _ in self.resizes { self.update { $0.model.list.size = .current } } },
            { for await signal in self.stops { self.plan(signal == SIGTSTP ? .suspend : .takeAgain) } }
        )
    }

    private func draw(on terminal: FullScreen) async throws(Failure) {
        var screen = BrowseScreen(title: title)
        var last = ""
        for await _ in pokes {
            let (isOver, waits, step) = state.withLock { state in
                defer { state.step = nil }
                let isPausing = state.pause.map { $0 > clock.now } ?? false
                return (state.isOver, !state.isUrgent && isPausing, state.step)
            }
            if isOver { return }
            if let step {
                if step == .suspend { try terminal.suspend() } else { try terminal.take() }
                state.withLock { $0.model.list.size = .current }
                last = ""
            }
            if waits { continue }
            let frame = draw(&screen)
            if frame != last { try Output.write(frame) }
            last = frame
            try? await Task.sleep(for: Self.frameTime)
        }
    }

    private func draw(_ screen: inout BrowseScreen) -> String {
        let now = clock.now
        let (count, loaded, columns) = (rows.count, rows.loadedCount, table.columns.names)
        var (model, trouble) = state.withLock { state in
            state.isUrgent = false
            state.model.columns = columns
            state.model.list.marks.expire(at: now)
            state.model.list.setCount(count)
            if state.trouble?.loaded != loaded { state.trouble = nil }
            return (state.model, state.trouble?.words)
        }
        if let position = model.missingRow, let row = rows.loadedRow(at: position) {
            state.withLock { $0.model.fill(row) }
            model.fill(row)
        }
        let status = rows.liveStatus
        let input = BrowseScreen.Input(
            model: model,
            row: { self.rows.loadedRow(at: $0) },
            loaded: loaded,
            status: trouble ?? status.words,
            isTroubled: trouble != nil || status.isInterrupted,
            now: now
        )
        let frame = screen.frame(input)
        // A screen more in either direction is asked for, so that scrolling finds it there.
        let list = model.list
        _ = rows.loadedRow(at: min(list.count, list.top + 2 * list.height) - 1)
        _ = rows.loadedRow(at: max(0, list.top - list.height))
        state.withLock { state in
            state.model.list.drawn = frame.drawn
            state.model.list.shownColumns = frame.columns
        }
        if !list.marks.isEmpty { tick() }
        return frame.text
    }

    /// Draws again in a moment, since marks fade.
    private func tick() {
        let isNew = state.withLock { state in
            defer { state.isTickPlanned = true }
            return !state.isTickPlanned
        }
        guard isNew else { return }
        Task {
            try? await Task.sleep(for: .milliseconds(250))
            state.withLock { $0.isTickPlanned = false }
            poke.yield()
        }
    }
}

// MARK: - What happens

extension Browser {
    /// Changes the state, and draws at once.
    func update(_ body: (inout State) -> Void) {
        state.withLock { state in
            body(&state)
            state.isUrgent = true
        }
        poke.yield()
    }

    private func type(_ keys: [Key]) {
        let columns = table.columns.names
        for key in keys {
            var request: BrowseModel.Request?
            update { state in
                state.model.columns = columns
                request = state.model.handle(key)
            }
            switch request {
            case .quit: update { $0.isOver = true }
            case .suspend: plan(.suspend)
            case .search(let search): start(search)
            case .stopSearch: state.withLock { $0.searching }?.cancel()
            case nil: break
            }
        }
    }

    /// Has the terminal given back, or taken, before the next frame.
    private func plan(_ step: TerminalStep) {
        update { state in
            if state.step != .suspend { state.step = step }
        }
    }

    private func note(_ change: CollectionChange<LiveRow>) {
        state.withLock { $0.model.apply(change, at: clock.now) }
        poke.yield()
    }

    private func noteStatus() {
        state.withLock { $0.trouble = nil }
        poke.yield()
    }

    private func note(_ error: RemoteDataError) {
        state.withLock { state in
            state.pause = clock.now + Self.pauseTime
            state.trouble = ("\(error.code), trying again", rows.loadedCount)
        }
        Task {
            try? await Task.sleep(for: Self.pauseTime)
            update { _ in }
        }
    }
}

extension LiveStatus {
    /// The status in a word or two.
    fileprivate var words: String {
        switch self {
        case .off: "not live"
        case .connecting: "connecting"
        case .catchingUp: "catching up"
        case .live: "live"
        case .interrupted(let error):
            "\(error.isTransient ? "offline" : "refused (\(error.code))"), trying again"
        }
    }

    fileprivate var isInterrupted: Bool { if case .interrupted = self { true } else { false } }
}
