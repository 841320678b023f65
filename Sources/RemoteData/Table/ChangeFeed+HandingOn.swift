extension ChangeFeed {
    /// Hands on what another feed has told.
    ///
    /// Never blocks. Where there is no room for it, it is forgotten together with what waits, and the consumer is told from where on the
    /// feed is complete again.
    package func handOn(_ events: [ChangeEvent]) {
        guard !send(contentsOf: events) else { return }
        // The reset is there.
        send(contentsOf: ChangeEvent.gap(events[...]).dropFirst())
    }
}

extension ChangeEvent {
    /// What takes the place of events that are left out.
    static func gap(_ events: ArraySlice<ChangeEvent>) -> [ChangeEvent] {
        // From where on it is complete follows.
        if case .reset? = events.last { return [.reset] }
        for event in events.reversed() {
            switch event {
            case .live, .interrupted: return [.reset, event]
            case .change, .progress, .reset:
                if let revision = event.revision { return [.reset, .live(revision)] }
            }
        }
        return [.reset, .live(nil)]
    }

    /// Whether it says nothing of the subscription itself.
    var isPlain: Bool {
        switch self {
        case .change, .progress: true
        case .live, .interrupted, .reset: false
        }
    }

    /// The revision up to which whoever has read this knows everything.
    var revision: Revision? {
        switch self {
        case .live(let revision): revision
        case .change(let change): change.revision
        case .progress(let revision): revision
        case .interrupted, .reset: nil
        }
    }
}
