import Foundation
import RemoteData
import Signals
import Synchronization

/// Shows a collection on the whole screen, and keeps showing it as it changes.
final class Browser: Sendable {
    private struct State {
        var view: BrowseState
        var keys = KeyDecoder()
        /// Something was typed, or the terminal has another size: draw now, whatever else.
        var isUrgent = false
        var isOver = false
        /// A request failed: rows are not asked for again until then, unless somebody types.
        var pause: ContinuousClock.Instant?
        /// What failed last, and how many rows were here then; forgotten as soon as more are.
        var trouble: (words: String, loaded: Int)?
        var isTickPlanned = false
    }

    private static let frameTime: Duration = .milliseconds(30)
    private static let pauseTime: Duration = .seconds(1)

    private let rows: RemoteDataCollection<LiveRow>
    private let table: ObservedTable
    private let columns: [String]?
    private let title: String
    private let clock = ContinuousClock()
    /// Each change of the terminal's size, from before the size was first looked at.
    private let resizes = Signals.stream(of: [SIGWINCH])
    private let state: Mutex<State>
    private let pokes: AsyncStream<Void>
    private let poke: AsyncStream<Void>.Continuation

    init(_ rows: RemoteDataCollection<LiveRow>, _ table: ObservedTable, columns: [String]?, title: String) {
        self.rows = rows
        self.table = table
        self.columns = columns
        self.title = title
        var view = BrowseState(size: .current, count: rows.count)
        view.idColumn = table.idColumn
        state = Mutex(State(view: view))
        (pokes, poke) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Draws until the user has seen enough.
    func run() async throws(Failure) {
        rows.requestCompletedHandler = { [poke] in poke.yield() }
        rows.errorHandler = { [weak self] in self?.note($0) }
        FullScreen.readKeys { [weak self] in self?.type($0) }
        poke.yield()
        try await race(
            { try await self.draw() },
            { for await change in self.rows.changes { self.note(change) } },
            { for await _ in self.rows.liveStatuses { self.noteStatus() } },
            { for await _ in self.resizes { self.resize() } }
        )
    }

    private func draw() async throws(Failure) {
        var screen = BrowseScreen(title: title, columns: columns)
        var last = ""
        for await _ in pokes {
            let (isOver, waits) = state.withLock {
                ($0.isOver, !$0.isUrgent && ($0.pause.map { $0 > clock.now } ?? false))
            }
            if isOver { return }
            if waits { continue }
            let frame = draw(&screen)
            if frame != last { try Output.write(frame) }
            last = frame
            try? await Task.sleep(for: Self.frameTime)
        }
    }

    private func draw(_ screen: inout BrowseScreen) -> String {
        let now = clock.now
        let (view, trouble) = state.withLock { state in
            state.isUrgent = false
            state.view.marks.expire(at: now)
            state.view.setCount(rows.count)
            if state.trouble?.loaded != rows.loadedCount { state.trouble = nil }
            return (state.view, state.trouble?.words)
        }
        let input = BrowseScreen.Input(
            state: view,
            seen: table.columns.names,
            row: { self.rows.loadedRow(at: $0) },
            loaded: rows.loadedCount,
            status: trouble ?? rows.liveStatus.words,
            now: now
        )
        let (text, drawn) = screen.frame(input)
        // A screen more in either direction is asked for, so that scrolling finds it there.
        _ = rows.loadedRow(at: min(view.count, view.top + 2 * view.height) - 1)
        _ = rows.loadedRow(at: max(0, view.top - view.height))
        state.withLock { $0.view.drawn = drawn }
        if !view.marks.isEmpty { tick() }
        return text
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
    private func type(_ bytes: [UInt8]) {
        let columnCount = (columns ?? table.columns.names).count
        state.withLock { state in
            state.isUrgent = true
            if bytes.isEmpty { state.isOver = true }
            for key in state.keys.keys(bytes) {
                if key == .quit { state.isOver = true }
                state.view.handle(key, columnCount: columnCount)
            }
        }
        poke.yield()
    }

    private func resize() {
        state.withLock { state in
            state.view.size = .current
            state.isUrgent = true
        }
        poke.yield()
    }

    private func note(_ change: CollectionChange<LiveRow>) {
        state.withLock { $0.view.apply(change, at: clock.now) }
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
            state.withLock { $0.isUrgent = true }
            poke.yield()
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
}
