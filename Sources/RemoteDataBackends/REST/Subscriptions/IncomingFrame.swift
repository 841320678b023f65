import RemoteData
import RemoteDataNetwork

/// What a server says over the WebSocket, read.
enum IncomingFrame: Sendable, Equatable {
    case subscribed(id: String, Revision?)
    /// A change, and the revision of the frame before it where the server tells it.
    case change(id: String, Change, after: Revision? = nil)
    /// A change that makes no sense, but whose place is known.
    case unreadableChange(id: String, Revision, after: Revision? = nil)
    case progress(id: String, Revision, after: Revision? = nil)
    case reset(id: String)
    case unsubscribed(id: String)
    case problem(id: String?, ServerProblem)
    /// A type that is not known here, to be passed over.
    case unknown
    /// Not a frame of the protocol at all; what is wrong, without any of its contents.
    case malformed(String)

    /// Reads a message; one that cannot be read is ``malformed(_:)``.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - row: What the row of a change is likely to be.
    ///   - epoch: The epoch that the revisions of changes are likely to belong to.
    init(_ message: WebSocketMessage, _ row: inout LikelyRow, _ epoch: Epoch? = nil) {
        guard message.isText else {
            self = .malformed("a binary message")
            return
        }
        self.init(message.memory, message.range, &row, epoch)
    }

    /// Reads the text of a message.
    ///
    /// The row of a change shares the bytes.
    private init(_ memory: [UInt8], _ part: Range<Int>, _ row: inout LikelyRow, _ epoch: Epoch?) {
        guard let members = try? JSONMembers(ofChange: memory, part, &row) else {
            self = .malformed("a message that is not a JSON object")
            return
        }
        let head = Head(members, epoch)
        guard let type = head.type else {
            self = .malformed("a message without a type")
            return
        }
        self =
            head.isBroken
            ? .malformed("a message of type \(type.prefix(40)) with members of wrong types")
            : Self.frame(type, head, members, memory[part])
    }

    private static func frame(
        _ type: String,
        _ head: Head,
        _ members: borrowing JSONMembers,
        _ json: ArraySlice<UInt8>
    ) -> IncomingFrame {
        // What comes most is looked for first.
        switch (type, head.id, head.revision) {
        case ("change", let id?, let revision):
            if let change = Change(members, head.epoch) {
                .change(id: id, change, after: head.after)
            } else if let revision {
                .unreadableChange(id: id, revision, after: head.after)
            } else {
                .malformed("a change that cannot be read")
            }
        case ("subscribed", let id?, let revision): .subscribed(id: id, revision)
        case ("progress", let id?, let revision?): .progress(id: id, revision, after: head.after)
        case ("reset", let id?, _): .reset(id: id)
        case ("unsubscribed", let id?, _): .unsubscribed(id: id)
        case ("error", let id, _): .problem(id: id, ServerProblem(json: json) ?? ServerProblem())
        case ("subscribed", _, _), ("progress", _, _), ("reset", _, _), ("unsubscribed", _, _),
            ("change", _, _):
            .malformed("a message of type \(type) without all of its members")
        default: .unknown
        }
    }

    /// The members that most frames have.
    private struct Head {
        var type: String?
        var id: String?
        var revision: Revision?
        var after: Revision?
        var epoch: Epoch?
        var isBroken = false

        init(_ members: borrowing JSONMembers, _ likelyEpoch: Epoch?) {
            type = text(members[.type])
            id = text(members[.id])
            // Only the beginning of a subscription has it.
            epoch = type == "subscribed" ? text(members[.epoch]).flatMap { read($0) } : likelyEpoch
            revision = number(members[.revision])
            after = number(members[.after])
        }

        private mutating func number(_ value: Value?) -> Revision? {
            switch value {
            case nil: return nil
            case .integer(let number)? where number >= 0: return Revision(number, epoch: epoch)
            default:
                isBroken = true
                return nil
            }
        }

        private mutating func read(_ text: String) -> Epoch? {
            let epoch = Epoch(text)
            isBroken = isBroken || epoch == nil
            return epoch
        }

        private mutating func text(_ value: Value?) -> String? {
            switch value {
            case nil: return nil
            case .text(let text)?: return text
            default:
                isBroken = true
                return nil
            }
        }
    }
}
