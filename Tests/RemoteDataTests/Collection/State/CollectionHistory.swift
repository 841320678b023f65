import RemoteDataTesting

@testable import RemoteData

/// A collection's state, a table, and everything that is under way between them; each step is random.
struct CollectionHistory {
    /// What may happen besides writes, reads and deliveries in order.
    struct Trouble: OptionSet {
        let rawValue: Int
        /// Requests fail.
        static let failures = Trouble(rawValue: 1)
        /// The feed breaks and is resumed, or has a gap.
        static let interruptions = Trouble(rawValue: 2)
        /// Pages and own writes do not wait for their events.
        static let impatience = Trouble(rawValue: 4)
        /// The user reads everything anew.
        static let refreshes = Trouble(rawValue: 8)
        /// Rows are inserted at a position.
        static let holding = Trouble(rawValue: 16)
        /// Only a few rows may stay here.
        static let eviction = Trouble(rawValue: 32)
    }

    /// A write of the collection's own, made and not answered.
    struct OwnWrite {
        let changes: [Change]
        let position: Int?
        let watch: Int
    }

    typealias State = CollectionState

    var random: SeededGenerator
    let trouble: Trouble
    var table: ReferenceTable
    var state: State
    /// Requests the table has not read.
    var asked: [Fetch] = []
    /// Answers that have not come.
    var answered: [(fetch: Fetch, page: Page)] = []
    /// Answers to own writes that have not come.
    var written: [OwnWrite] = []
    /// Own writes that wait for their events.
    var awaited: [(revision: Revision, write: OwnWrite)] = []
    /// Counts to start over with, that have not come.
    var counts: [Count] = []
    var countWatch = 0
    /// What a repair has asked for: the count it begins with, then one read after another, and the answers.
    var repairCount: (watch: Int, answer: Count?)?
    var repairRead: (read: RepairRead, answer: Page?)?
    var iterations: [Int: IterationRecord] = [:]
    var isConnected = true
    /// What is kept by what was noted; where pages and writes do not wait, it is of no one moment.
    var kept: ReferenceCache
    /// The rows known by what was told.
    var shadow = ShadowCollection()
    var trail: [String] = []
    var faults: [String] = []

    /// Ids that rows had; no other row gets them.
    private var formerIDs: Set<Int64> = []

    /// A column that tells when rows were written, where the table has one.
    let stamp: StampColumn?

    init(seed: UInt64, trouble: Trouble) {
        var random = SeededGenerator(seed: seed)
        self.trouble = trouble
        let filter = random.chance(2) ? nil : try? Where.parse("m = 1")
        let sort = random.pick(["", "v", "v desc"])
        let canHold = trouble.contains(.holding)
        table = ReferenceTable(query: Query(filter, sort: canHold ? [] : (try? SortTerm.parse(sort)) ?? []))
        for id in 0..<random.number(0..<30) {
            table.put(Int64(id * 2), Self.content(&random))
        }
        table.events = [.live(Revision(table.revision))]
        let pageSize = random.number(1..<8)
        var cache: CacheLimit?
        if trouble.contains(.eviction) {
            cache = CacheLimit(rows: random.number(1..<20), ahead: pageSize * random.number(1..<3))
        }
        state = .init(
            query: table.query,
            pageSize: pageSize,
            largestPage: cache == nil ? random.number(0..<20) : pageSize,
            count: table.count,
            follows: true,
            cache: cache
        )
        stamp = random.chance(2) ? StampColumn("w", overlap: .milliseconds(random.number(0..<5))) : nil
        self.random = random
        shadow = ShadowCollection(state)
        kept = ReferenceCache(query: table.query)
        kept.take([.reached(Revision(table.revision))])
        (state.keeping, state.shown) = (.stretches, KeyIntervals())
    }

    static func content(_ random: inout SeededGenerator) -> ReferenceTable.Content {
        .init(value: random.number(0..<6), isMarked: !random.chance(4))
    }

    /// Runs the history to its end.
    ///
    /// - Returns: What is wrong; nil when nothing is.
    mutating func fault() -> String? {
        for _ in 0..<random.number(5..<90) {
            step()
            if let fault = faults.first ?? state.index.fault ?? keep() { return fault }
            if trail.count.isMultiple(of: 3), let fault = state.coverageFault(table) { return fault }
        }
        comeToRest()
        return faults.first ?? state.index.fault ?? keep() ?? state.coverageFault(table) ?? differenceAtRest()
            ?? (state.verified == Revision(table.revision)
                ? state.coverageFault(table) : "nothing is verified")
    }

    /// Has the cache take what is noted.
    ///
    /// - Returns: What it then has wrong.
    private mutating func keep() -> String? {
        state.noteSeams()
        kept.take(state.notes)
        state.notes = []
        // Pages that are newer than what has come are used while nothing comes.
        if let ahead = state.ahead, let applied = state.applied, ahead > applied { return nil }
        return trouble.contains(.impatience) ? nil : kept.fault(table)
    }

    private mutating func step() {
        switch random.number(0..<20) {
        case 0, 1, 2, 3: writeByOthers()
        case 4: write()
        case 5, 6: read()
        case 7, 8: iterate()
        case 9, 10: answer()
        case 11, 12: deliverPage()
        case 13: deliverWrite()
        case 14, 15, 16: deliverEvents(random.number(1..<5))
        case 17: deliver()
        case 18 where state.needsResync || state.isRepairing: repair()
        default: makeTrouble()
        }
    }

    /// Notes a step and takes what it told.
    mutating func told(_ what: String, _ told: [Applied] = [], withPage: Bool = false) {
        let size = ", \(state.index.layout)\(state.isCountDoubtful ? " perhaps" : "")"
        trail.append(what + size + told.map { "\n      told \($0.summary)" }.joined())
        if state.isRecounted || told.contains(where: { $0.type == .dataLoaded }) {
            shadow = ShadowCollection(state)
            state.isRecounted = false
            return trail[trail.count - 1] += ", with a new count"
        }
        // Between two changes rows may have left, and with them the knowledge of where exactly they are.
        if trouble.contains(.eviction), told.count > 1 { return shadow = ShadowCollection(state) }
        if let fault = shadow.follow(told, state, withPage: withPage) {
            faults.append("after \(trail.count) steps, \(what): \(fault)")
        }
    }
}

extension RowIndex {
    /// The ids of the rows that are here, and the sizes of the gaps.
    fileprivate var layout: String {
        var parts: [String] = []
        var node = first
        while node >= 0 {
            parts +=
                nodes[node].isGap ? ["(\(nodes[node].weight))"] : chunks[node].rows.map { "\($0.number)" }
            node = successor(of: node)
        }
        return "[" + parts.joined(separator: " ") + "]"
    }
}

// MARK: - Steps

extension CollectionHistory {
    private mutating func writeByOthers() {
        let id = random.pick(random.chance(4) ? table.ids + [0] : Array(0..<60))
        guard !formerIDs.contains(id) else { return }
        if random.chance(25) {
            let value = random.chance(4) ? nil : random.number(1..<6)
            noteBulkDeletion { $0.removeAll(from: value) }
            trail.append("removed from \(String(describing: value)) at \(table.revision)")
        } else if random.chance(10), table.contents[id] != nil {
            rename(id)
        } else {
            let content = random.chance(4) ? nil : Self.content(&random)
            guard content != nil || table.contents[id] != nil else { return }
            table.put(id, content)
            trail.append(
                "put \(id) \(content.map { "\($0.value) \($0.isMarked)" } ?? "nil") at \(table.revision)"
            )
        }
        noteMembership()
    }

    private mutating func rename(_ id: Int64) {
        let new = Int64(random.number(1_000..<2_000))
        guard table.contents[new] == nil, !formerIDs.contains(new) else { return }
        formerIDs.insert(id)
        table.rename(id, to: new)
        trail.append("renamed \(id) to \(new) at \(table.revision)")
        // Who has missed the change takes it for another row.
        let isSure = trouble.isSubset(of: [.holding, .eviction])
        for key in iterations.keys { iterations[key]?.rename(id, to: new, isSure: isSure) }
    }

    private mutating func write() {
        if trouble.contains(.holding), random.chance(2) { return insert() }
        let watch = state.beginWatch()
        var change: Change?
        switch random.number(0..<6) {
        case 0:
            let value = random.chance(3) ? nil : random.number(1..<6)
            change = noteBulkDeletion { $0.removeAll(from: value, inQuery: true) }
        case 1, 2:
            let id = Int64(random.number(60..<1_000))
            guard !formerIDs.contains(id) else { return }
            change = table.put(id, .init(value: random.number(0..<6), isMarked: true))
        default:
            // What is here is updated or removed.
            let position = random.number(0..<max(1, state.count))
            guard let row = state.row(at: position), table.contents[row.number] != nil else { return }
            change = table.put(row.number, random.chance(3) ? nil : Self.content(&random))
        }
        guard let change else { return }
        noteMembership()
        trail.append("wrote \(change.kind) \(change.id?.description ?? "") at \(table.revision)")
        // The answer to a write does not tell where a row was.
        let plain = Change(
            revision: change.revision,
            kind: change.kind,
            id: change.id,
            row: change.row,
            left: change.left,
            predicate: change.predicate,
            count: change.count
        )
        written.append(OwnWrite(changes: [plain], position: nil, watch: watch))
    }

    private mutating func insert() {
        let position = random.number(0..<(state.count + 1))
        let watch = state.beginWatch()
        let changes: [Change] = (0..<random.number(1..<3)).compactMap { _ in
            let id = Int64(random.number(0..<1_000) * 2 + 1)
            return formerIDs.contains(id) ? nil : table.put(id, .init(value: 3, isMarked: true))
        }
        .filter { $0.kind == .created }
        guard !changes.isEmpty else { return }
        noteMembership()
        trail.append("inserted \(changes.compactMap(\.id)) for \(position) at \(table.revision)")
        written.append(OwnWrite(changes: changes, position: position, watch: watch))
    }

    private mutating func read() {
        guard state.index.count > 0 else { return }
        let position = random.number(0..<state.index.count)
        guard case .fetch(let fetch) = state.need(base: position) else { return }
        asked.append(fetch)
        trail.append(
            "asked for \(fetch.request.start) limit \(fetch.request.limit), expected \(fetch.expected)"
        )
    }

    private mutating func answer() {
        guard !asked.isEmpty else { return }
        let fetch = asked.remove(at: random.number(0..<asked.count))
        let page = table.page(fetch.request)
        answered.append((fetch, page))
        trail.append("read \(fetch.request.start) at \(table.revision): \(page.rows.map(\.number))")
    }

    mutating func deliverPage() {
        guard !answered.isEmpty else { return }
        let (fetch, page) = answered.remove(at: random.number(0..<answered.count))
        let what = "page \(fetch.request.start) of \(page.revision?.description ?? "")"
        if trouble.contains(.failures), random.chance(5) {
            state.fail(fetch)
            return told("\(what) failed")
        }
        do throws(RemoteDataError) {
            switch try state.receive(page, for: fetch) {
            case .merged(let applied):
                told(what, applied, withPage: true)
                _ = state.mergeWaiting()
                told("merging")
            case .waits(let applied): told("\(what) waits", applied)
            case .outdated: told("\(what) is outdated")
            }
        } catch { faults.append("\(what): \(error)") }
    }

    mutating func deliverWrite() {
        guard !written.isEmpty else { return }
        let write = written.remove(at: random.number(0..<written.count))
        let what = "answer to \(write.changes.compactMap(\.revision))"
        noteUnlocated(write)
        switch state.wrote(write.changes, heldAt: write.position, since: write.watch) {
        case .applied(let applied):
            state.endWatch(write.watch)
            told(what, applied)
        case .comes(let revision):
            awaited.append((revision, write))
            told("\(what) waits")
            catchUp()
        }
    }

    mutating func deliverEvents(_ count: Int) {
        guard isConnected else { return }
        let events = table.events.prefix(count)
        guard !events.isEmpty else { return }
        table.events.removeFirst(events.count)
        state.pending += events
        trail.append("\(events.count) events came")
        if random.chance(2) { catchUp() }
    }

    /// What the delivery queue does.
    mutating func deliver() {
        while let applied = state.applyNext() { told("delivering", [applied]) }
        told("delivered")
        _ = state.mergeWaiting()
        told("merging")
        resumeWriters()
    }

    /// What is applied at once because somebody waits.
    private mutating func catchUp() {
        let wanted = state.waiting.compactMap(\.page.revision) + awaited.map(\.revision)
        guard let last = wanted.max() else { return }
        told("catching up to \(last)", state.applyPending(through: last))
        _ = state.mergeWaiting()
        told("merging")
        resumeWriters()
    }

    mutating func resumeWriters(force: Bool = false) {
        let applied = state.expectsChanges ? state.applied : nil
        while let index = awaited.firstIndex(where: { item in
            force || applied.map { item.revision <= $0 } ?? true
        }) {
            let (revision, write) = awaited.remove(at: index)
            noteUnlocated(write)
            guard
                case .applied(let applied) = state.wrote(
                    write.changes,
                    heldAt: write.position,
                    since: write.watch,
                    now: true
                )
            else { continue }
            state.endWatch(write.watch)
            told("write \(revision) is done", applied)
        }
    }
}
