import RemoteData

/// Forwards the changes of one subscription to a WebSocket until either ends.
struct SubscriptionForwarder: Sendable {
    let api: TableAPI
    let request: SubscriptionRequest
    /// The subscription's number on its connection.
    let number: Int
    let outbox: Outbox

    /// Why a feed was left.
    private enum End {
        case gap, finished, over
        case failed(RemoteDataError)
    }

    /// Subscribes and forwards; subscribes anew after each gap.
    ///
    /// Ends when the table does, when the subscription was ended on the connection, or when its task is
    /// cancelled.
    func run() async {
        do {
            // A table that is not there yet can be waited for: it begins with its first row.
            let table = try await api.table(request.table)
            var since = request.since.map(api.caller.exchanged)
            while !Task.isCancelled {
                let feed = try await table.subscribe(to: request.query, since: since)
                let end = await forward(feed)
                feed.cancel()
                switch end {
                case .over: return
                case .failed(let error): throw error
                case .finished: return finish(.unsubscribed(id: request.id))
                case .gap:
                    outbox.reset(.reset(id: request.id), from: number)
                    // A client that does not read is not subscribed anew until it does.
                    await outbox.resetSent(for: number)
                    since = nil
                }
            }
        } catch { finish(.error(ClientFrame.Problem(error, id: request.id))) }
    }

    private func forward(_ feed: ChangeFeed) async -> End {
        // Each frame names the one before it, so that the client sees when one is missing.
        var last: Revision?
        while true {
            let events = await feed.nextBatch()
            if events.isEmpty { return Task.isCancelled ? .over : .finished }
            for event in events {
                guard let frame = frame(event, after: last) else {
                    if case .interrupted(let error) = event { return .failed(error) }
                    if case .reset = event { return .gap }
                    continue
                }
                switch outbox.send(frame, from: number) {
                case .queued: last = event.revision ?? last
                case .overflow: return .gap
                case .ended: return .over
                }
            }
        }
    }

    private func frame(_ event: ChangeEvent, after: Revision?) -> ServerFrame? {
        switch event {
        case .live(let revision):
            .subscribed(id: request.id, revision: revision.map(api.caller.exchanged))
        case .change(let change): .change(change, id: request.id, after: after)
        case .progress(let revision): .progress(id: request.id, revision: revision, after: after)
        case .interrupted, .reset: nil
        }
    }

    private func finish(_ frame: ServerFrame) { outbox.finish(frame, from: number) }
}

extension ChangeEvent {
    /// The revision a client has reached that has read it.
    fileprivate var revision: Revision? {
        switch self {
        case .live(let revision): revision
        case .change(let change): change.revision
        case .progress(let revision): revision
        case .interrupted, .reset: nil
        }
    }
}
