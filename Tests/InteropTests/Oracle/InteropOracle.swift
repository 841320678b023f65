import FaultyNetwork
import Foundation
import RemoteData
import RemoteDataBackends
import RemoteDataTesting

/// Collections behind a network that breaks, over a server that others write to, compared with what the server has.
final class InteropOracle<Backend: ForeignBackend> {
    let backend: Backend
    let proxy: Proxy
    var generator: SeededGenerator
    var subjects: [InteropSubject] = []
    /// What was done in the batch, in words.
    var trail: [String] = []
    private let collections: Int
    private var lastNumber = 0
    private var ids: [String] = []
    /// What the rows may hold in the batch.
    private var possible = PossibleRows([])
    /// Whether nothing breaks in the batch.
    private var isCalm = false
    /// When the first thing of the batch was broken; nil where nothing is.
    private var faultTime: ContinuousClock.Instant?
    /// When credentials were refused first; nil where none were.
    private var refusalTime: ContinuousClock.Instant?

    init(_ backend: Backend, seed: UInt64, collections: Int = 3) async throws {
        (self.backend, self.collections) = (backend, collections)
        generator = SeededGenerator(seed: seed)
        proxy = try Proxy(changesPath: backend.changesPath)
        proxy.forward(to: UInt16(backend.port))
        for _ in 0..<60 { try await backend.create(newItem()) }
        for _ in 0..<collections { subjects.append(try await subject()) }
    }

    deinit { proxy.close() }

    /// Does some batches.
    ///
    /// - Returns: What is wrong with the first that fails; empty when none does.
    func run(batches: Int) async throws -> [String] {
        for number in 0..<batches {
            let problems = try await batch()
            guard problems.isEmpty else { return ["Batch \(number) fails."] + trail + problems }
        }
        return []
    }

    private func batch() async throws -> [String] {
        trail = []
        (isCalm, faultTime, refusalTime) = (generator.chance(3), nil, nil)
        let rows = try await backend.rows()
        possible = PossibleRows(rows)
        ids = rows.map(\.id.description).sorted()
        for index in subjects.indices where generator.chance(5) { subjects[index] = try await subject() }
        for _ in 0..<generator.number(8..<30) { try await act() }
        proxy.heal()
        let deadline = ContinuousClock.now + patience
        var problems: [String] = []
        for subject in subjects {
            let found = try await subject.converge(to: backend, until: deadline)
            problems += found.map { "\(subject.name): \($0)" }
        }
        guard problems.isEmpty else { return problems }
        for subject in subjects {
            let results = subject.takeResults()
            var found = subject.problems(of: results, possible, isExplained: isExplained)
            found += try await writeProblems(of: results)
            if generator.chance(2) { found += try await subject.readingProblems(against: backend) }
            problems += found.map { "\(subject.name): \($0)" }
        }
        return problems
    }

    /// How long after the last fault everything is right again at the latest.
    ///
    /// Attempts come every few seconds, and after refused credentials within a minute.
    private var patience: Duration { refusalTime == nil ? .seconds(10) : .seconds(70) }

    /// Whether a fault of the batch explains an error.
    private func isExplained(_ failure: InteropSubject.Failure) -> Bool {
        guard let error = failure.error else { return false }
        if error.code == .unauthorized { return refusalTime.map { $0 <= failure.time } ?? false }
        return error.isTransient && (faultTime.map { $0 <= failure.time } ?? false)
    }

    /// Rows were created once, and every acknowledged write is there unless another may have undone it.
    private func writeProblems(of results: InteropSubject.Results) async throws -> [String] {
        let rows = Dictionary(grouping: try await backend.rows().compactMap(Item.init), by: \.tag)
        let twice = rows.filter { $0.value.count > 1 }.keys.sorted().map { "The row \($0) was made twice." }
        let added = results.added.filter { possible.stays($0.tag) && rows[$0.tag] == nil }
        let removed = results.removed.filter { rows[$0.tag] != nil }
        let updated = results.updated.filter { item in
            possible.isChangedOnce(item.tag)
                && rows[item.tag]?.contains { ($0.s, $0.n) == (item.s, item.n) } != true
        }
        return twice + added.map { "The row \($0.tag) was added, and is not there." }
            + removed.map { "The row \($0.tag) was removed, and is there." }
            + updated.map { "The row \($0) was updated, and is another there." }
    }

    private func subject() async throws -> InteropSubject {
        let clauses = ["", "n > 3", "s = 'x' or n < 2", "s >= 'm'", "s like 'x%'", "not (n = 4)"]
        var options = CollectionOptions()
        options.pageSize = generator.number(2..<30)
        options.readAhead = generator.number(0..<3)
        if generator.chance(3) { options.cacheLimit = generator.number(10..<40) }
        var configuration = RESTConfiguration()
        let trail = TrafficTrail()
        configuration.observer = trail
        configuration.auditInterval = .milliseconds(400)
        return try await InteropSubject(
            try backend.table(at: "http://127.0.0.1:\(proxy.port)", configuration),
            trail,
            where: generator.pick(clauses),
            sort: generator.pick(backend.sorts),
            options
        )
    }
}

// MARK: - What is done

extension InteropOracle {
    private func newItem() -> Item {
        lastNumber += 1
        let id = backend.id(lastNumber * 37 % 1_009 + lastNumber / 1_009 * 10_000)
        return Item(id: id, s: text(), n: generator.number(0..<8), tag: "t\(lastNumber)")
    }

    private func text() -> String { generator.pick(["x", "xa", "X", "y", "m", "", "é", "日", "z'\"\\"]) }

    /// Changes of a row's text, its number or both.
    private func members(of id: String) -> String {
        let number = generator.chance(2) ? generator.number(0..<8) : nil
        let text = number == nil || generator.chance(3) ? text() : nil
        possible.update(id, text: text, number: number)
        let parts = [
            number.map { "\"n\":\($0)" },
            text.map { "\"s\":\(String(decoding: Value.text($0).json, as: UTF8.self))" },
        ]
        return "{\(parts.compactMap(\.self).joined(separator: ","))}"
    }

    private func act() async throws {
        switch generator.number(0..<100) {
        case 0..<36: try await write()
        case 36..<40: try await writeSilently()
        case 40..<55: ownWrite()
        case 55..<75: read()
        case 75..<85:
            trail.append("look")
            for _ in 0..<generator.number(1..<20) { _ = try await backend.rows() }
        default: if !isCalm { try await breakSomething() }
        }
    }

    private func write() async throws {
        let id = ids.isEmpty ? "" : generator.pick(ids)
        switch generator.number(0..<8) {
        case 0..<3:
            let item = newItem()
            trail.append("others create \(item.id ?? "") \(item.s) \(item.n)")
            possible.create(item)
            try await backend.create(item)
        case 3..<6 where !ids.isEmpty:
            let members = members(of: id)
            trail.append("others update \(id) \(members)")
            try await backend.update(id, members)
        case 6... where !ids.isEmpty:
            trail.append("others delete \(id)")
            possible.remove(id)
            try await backend.delete(id)
        default: break
        }
    }

    private func writeSilently() async throws {
        if generator.chance(2) {
            let item = newItem()
            possible.create(item)
            guard try await backend.createSilently(item) else { return }
            trail.append("others import \(item.id ?? "") \(item.s) \(item.n)")
        } else if !ids.isEmpty {
            let id = generator.pick(ids)
            possible.remove(id)
            guard try await backend.deleteSilently(id) else { return }
            trail.append("others withdraw \(id)")
        }
    }

    private func ownWrite() {
        let subject = generator.pick(subjects)
        let place = generator.number(0..<1_000)
        switch generator.number(0..<6) {
        case 0..<3:
            var item = newItem()
            if generator.chance(2) { item.id = nil }
            trail.append("\(subject.number) adds \(item.id ?? "a row") \(item.tag)")
            possible.create(item)
            subject.add(item)
        case 3..<5:
            let (s, n) = (text(), generator.number(0..<8))
            guard let item = subject.update(place, s, n) else { return }
            trail.append("\(subject.number) updates \(item.id ?? "") to \(s) \(n)")
            possible.update(tag: item.tag, text: s, number: n)
        default:
            guard let item = subject.remove(place) else { return }
            trail.append("\(subject.number) removes \(item.id ?? "")")
            possible.remove(tag: item.tag)
        }
    }

    private func read() {
        let subject = generator.pick(subjects)
        switch generator.number(0..<4) {
        case 0..<2:
            trail.append("\(subject.number) iterates")
            subject.iterate()
        case 2:
            trail.append("\(subject.number) reads a row")
            subject.read(generator.number(0..<100))
        default:
            trail.append("\(subject.number) refreshes")
            if generator.chance(3) { subject.refresh() }
        }
    }

    private func breakSomething() async throws {
        faultTime = faultTime ?? .now
        switch generator.number(0..<19) {
        case 12: try await endTokens()
        case 15, 16: try await outlastTokens()
        case 17, 18: try await limitRequests()
        case 13, 14:
            trail.append("refuse changes")
            proxy.refuseChanges(true)
            later { $0.refuseChanges(false) }
        case 0..<5:
            trail.append("cut")
            proxy.cutAll(abruptly: generator.chance(2))
        case 5..<7:
            trail.append("cut in a message")
            proxy.gate.cutNext(generator.chance(2) ? .up : .down, after: generator.number(0..<2_000))
        case 7..<9:
            trail.append("stall")
            proxy.gate.stall(true)
            later { $0.gate.stall(false) }
        case 9..<11:
            trail.append("refuse")
            proxy.refuse(true)
            proxy.cutAll(abruptly: true)
            later { $0.refuse(false) }
        default:
            trail.append("kill -9")
            try await backend.restart()
        }
    }

    private func endTokens() async throws {
        if backend.refusesCredentials { refusalTime = refusalTime ?? .now }
        if try await backend.endTokens() { trail.append("end tokens") }
    }

    /// The server is away until the tokens have run out, and no longer.
    private func outlastTokens() async throws {
        proxy.refuse(true)
        proxy.cutAll(abruptly: generator.chance(2))
        if try await backend.awaitExpiry() { trail.append("tokens run out") }
        proxy.refuse(false)
    }

    private func limitRequests() async throws {
        guard try await backend.limitRequests(true) else { return }
        trail.append("limit requests")
        for _ in 0..<generator.number(10..<60) { _ = try await backend.rows() }
        _ = try await backend.limitRequests(false)
    }

    /// Does something to the proxy after some time.
    private func later(_ body: @escaping @Sendable (Proxy) -> Void) {
        let wait = DispatchTimeInterval.milliseconds(generator.number(20..<400))
        DispatchQueue.global().asyncAfter(deadline: .now() + wait) { [proxy] in body(proxy) }
    }
}
