import Synchronization

// Rows that are made of models: what is said of these shows in the rows.
extension RemoteDataCollection {
    /// What becomes of rows by what is said of models that they are made of; on the delivery queue.
    ///
    /// - Complexity: Those rows, and those that came since this was asked last.
    func hintsOfParts(_ said: SaidModels) -> [RowHint] {
        guard let share, share.hasParts else { return [] }
        let index = Mutex(takeIndex())
        defer { state.withLock { state in state.parts = index.withLock(\.self) } }
        let found = index.withLock { $0.rows(with: said.news.keys) }
        guard !found.isEmpty else { return [] }
        // What is said of a row's own model has the same in it.
        let others = said.isOfRows ? found : found.filter { !isSaid(said, share.modelID($0.key)) }
        let rows = state.withLock { state in others.keys.map { ($0, state.core.row($0)) } }
        let fates = PartFates(said.news)
        var hints: [RowHint] = []
        for (id, row) in rows {
            let model = row.flatMap { try? codec.decode($0) } as? any ConsistentModel
            guard let row, let model, let shown = model as? Element else {
                for part in found[id] ?? [] { index.withLock { $0.remove(id, from: part) } }
                continue
            }
            switch fates.outcome(of: model) {
            case nil:
                let parts = model.byID
                for part in found[id] ?? [] where parts[part] == nil {
                    index.withLock { $0.remove(id, from: part) }
                }
            case .some(nil): hints.append(.gone(id, time: said.time))
            case .some(let changed?):
                guard let changed = changed as? Element,
                    let patch = try? codec.patch(of: row, from: shown, to: changed).json
                else { continue }
                hints.append(.parts(id, patch: patch, time: said.time))
            }
        }
        return hints
    }

    private func isSaid(_ said: SaidModels, _ id: ModelID) -> Bool {
        guard case .updated(let versions) = said.news[id] else { return false }
        return versions.contains { $0 is Element }
    }

    /// Which rows that are here are made of what, with those that came since that was asked last.
    private func takeIndex() -> PartIndex {
        let (known, arrivals) = state.withLock { state in
            defer { state.parts = nil }
            return (state.parts, state.core.takeArrivals())
        }
        guard var index = known, !index.isCrowded, let arrivals else { return makeIndex() }
        guard !arrivals.isEmpty else { return index }
        let rows = state.withLock { state in arrivals.compactMap { state.core.row($0) } }
        for row in rows { add(row, try? codec.decode(row), to: &index) }
        return index
    }

    private func makeIndex() -> PartIndex {
        var index = PartIndex()
        for part in state.withLock({ $0.core.parts(isRead: false) }) {
            guard case .rows(let part) = part else { continue }
            // Not kept: most rows may never be read.
            let decoded = part.decoded as? DecodedChunk<Element> ?? codec.decode(part.rows)
            for offset in part.range { add(part.rows[offset], try? decoded.element(at: offset), to: &index) }
        }
        index.settle()
        return index
    }

    private func add(_ row: Row, _ element: Element?, to index: inout PartIndex) {
        if let model = element as? any ConsistentModel { index.add(row.id, model) }
    }
}
