import Synchronization

extension ConsistencyManager {
    /// Those of one batch who were told something.
    private struct BatchNews {
        let batch: BatchListening
        var told: [ObjectIdentifier]
        var updates: ModelUpdates
    }

    /// Tells something; on the delivery queue.
    func deliver(_ telling: Telling) {
        let (delegate, observers) = audience.withLock { ($0.delegate, $0.observers) }
        for error in telling.errors { delegate?.consistencyManager(self, failedWith: error) }
        var batches: [BatchNews] = []
        var lists: [(list: ListListening, news: [ListListening.News])] = []
        var places: [ObjectIdentifier: Int] = [:]
        for index in telling.parts.indices {
            if isCancelled(telling.time) { break }
            if let delegate, let old = telling.parts[index].old, telling.parts[index].concernsSomebody {
                let new = telling.parts[index].model?.model
                delegate.consistencyManager(self, willReplace: old.model, with: new, context: telling.context)
            }
            for listening in telling.parts[index].listenings {
                guard let batch = tell(listening, telling.parts[index], telling) else { continue }
                Self.note(listening, telling.parts[index].updates, of: batch, &batches)
            }
            for place in telling.parts[index].places {
                let news = ListListening.News(place: place.place, model: telling.parts[index].model?.model)
                let index = places[ObjectIdentifier(place.list)] ?? lists.count
                if index == lists.count {
                    places[ObjectIdentifier(place.list)] = index
                    lists.append((place.list, []))
                }
                lists[index].news.append(news)
            }
        }
        for (list, news) in lists where !list.hasEnded { list.tell(news, telling.context, telling.time) }
        for news in batches { news.batch.tell(news.told, news.updates, telling.context) }
        guard !telling.changes.isEmpty else { return }
        for (_, observer) in observers.sorted(by: { $0.key < $1.key }) {
            observer(telling.changes, telling.context, telling.time)
        }
    }

    /// Does something when all has been told that is told at once; on the delivery queue.
    func atEndOfRound(_ body: @escaping @Sendable () -> Void) {
        audience.withLock { $0.roundEnds.append(body) }
    }

    /// Does what was asked for the end of what is told at once.
    func endRound() {
        let ends = audience.withLock { audience in
            defer { audience.roundEnds = [] }
            return audience.roundEnds
        }
        for end in ends { end() }
    }

    private static func note(
        _ listening: Listening,
        _ updates: ModelUpdates,
        of batch: BatchListening,
        _ batches: inout [BatchNews]
    ) {
        let id = ObjectIdentifier(listening)
        guard let index = batches.firstIndex(where: { $0.batch === batch }) else {
            return batches.append(BatchNews(batch: batch, told: [id], updates: updates))
        }
        batches[index].told.append(id)
        batches[index].updates = batches[index].updates.union(updates)
    }

    /// - Returns: The batch of a listener that was told.
    private func tell(_ listening: Listening, _ part: Telling.Part, _ telling: Telling) -> BatchListening? {
        switch listening.target {
        case .handler(let handler):
            guard case .isTold(let batch) = listening.take(part.model, at: telling.time) else { return nil }
            handler(part.model, part.updates, telling.context, telling.time)
            return batch
        case .listener(let weak):
            guard let listener = weak.listener else {
                enqueue { _ in .end(listening) }
                return nil
            }
            let (seen, isDeaf) = listening.view(at: telling.time)
            guard !isDeaf else { return nil }
            let current = listener.currentModel()
            // What is not even the same as itself cannot be compared.
            guard let current, let seen, current.isSame(as: seen) || !current.isSame(as: current) else {
                // It has put another model in its place without saying so: what it is told takes that into account.
                enqueue { .replace(listening, base: listening.replace(current, at: $0), current) }
                return nil
            }
            guard case .isTold(let batch) = listening.take(part.model, at: telling.time) else { return nil }
            listener.modelUpdated(part.model?.model, updates: part.updates, context: telling.context)
            return batch
        }
    }
}
