import RemoteData

extension SubscriptionMachine {
    /// One subscription.
    struct Entry: Sendable {
        enum Phase: Equatable {
            /// Not asked for on this connection.
            case waiting
            /// The server's answer is waited for, by a number that grows.
            case asked(Int)
            case live
        }

        let request: SubscriptionRequest
        /// What the subscription is called at the server; after a hole otherwise, so that frames from before it are not taken for others.
        private(set) var name: String
        /// Up to where everything is known.
        var since: Revision?
        var phase = Phase.waiting
        /// Whether the server has ever answered.
        var isAnswered = false
        /// Whether the subscriber has to be told of a gap before it can go on.
        var owesReset = false
        /// Finds out which frames are missing, since the server's answer.
        var order = FrameOrder()
        /// The number of the hole in the frames that may still close.
        var hole: Int?
        /// From where it was asked for anew because of a hole.
        var resumedFrom: Revision?
        /// How often it was.
        private var resumptions = 0

        /// How many frames may wait for a hole to close.
        static let frameLimit = 64

        init(_ id: Int, _ request: SubscriptionRequest, since: Revision?) {
            (self.request, self.since) = (request, since)
            name = "s\(id)"
        }

        /// Gives it another name, to be asked for anew.
        mutating func rename() {
            let first = name.prefix { $0 != "." }
            resumptions += 1
            name = "\(first).\(resumptions)"
        }

        /// How a revision that the server begins at lies to the one that it was asked to go on from.
        enum Step {
            /// It is the same, or there is none.
            case none
            /// What lies between was left out, or it belongs to another history, of which nothing is known.
            case ahead
            /// The server knows less than it did: its history is another one, whether or not it has an epoch
            /// to tell.
            case back
        }

        func step(to revision: Revision?) -> Step {
            guard let since, let revision else { return .none }
            guard let since = since.point(in: revision.epoch) else { return .ahead }
            return revision == since ? .none : revision > since ? .ahead : .back
        }

        /// The history that the frames of the subscription belong to.
        var epoch: Epoch? { since?.epoch }

        /// The server's answer came: everything after a revision follows.
        mutating func begin(at revision: Revision?) {
            phase = .live
            isAnswered = true
            owesReset = false
            since = revision ?? since
            hole = nil
            order = FrameOrder(limit: Self.frameLimit)
            if let since { _ = order.receive(after: nil, revision: since, event: .live(since)) }
        }

        /// Whether a frame is in order and can be handed on at once; that is noted.
        mutating func passes(_ revision: Revision, after: Revision?) -> Bool {
            guard phase == .live, order.passes(after: after, revision: revision) else { return false }
            since = order.last
            return true
        }

        /// A frame came.
        ///
        /// - Parameters:
        ///   - event: What it tells.
        ///   - revision: Its revision.
        ///   - after: The revision of the frame before it; nil where the server does not tell.
        /// - Returns: The events that are now in order.
        mutating func receive(_ event: ChangeEvent, _ revision: Revision, after: Revision?) -> [ChangeEvent] {
            guard phase == .live, since.map({ !$0.reaches(revision) }) ?? true else { return [] }
            let events = order.receive(
                after: order.last == nil ? nil : after.map { Revision($0.rawValue, epoch: revision.epoch) },
                revision: revision,
                event: event
            )
            since = order.last
            return events
        }
    }
}
