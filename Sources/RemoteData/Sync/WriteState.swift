/// How far a write has come that was accepted here and travels to a server when it can.
public enum WriteState: Sendable {
    /// It is durable here and waits for its turn.
    case queued
    /// It is under way, or was when the program ended and its answer is not known.
    case sending
    /// The server has agreed, or nothing had to be sent any more.
    case acknowledged
    /// It was given up with the server's answer: another version won, or it was discarded.
    case rejected(RemoteDataError)
    /// The server refused it for good; it is kept, with the server's answer, until it is retried, edited or discarded.
    case dead(RemoteDataError)

    /// Whether it will stay so by itself.
    public var isFinal: Bool {
        switch self {
        case .queued, .sending: false
        case .acknowledged, .rejected, .dead: true
        }
    }

    /// Why the server does not have it, where it never will by itself.
    public var error: RemoteDataError? {
        switch self {
        case .rejected(let error), .dead(let error): error
        case .queued, .sending, .acknowledged: nil
        }
    }
}

extension WriteState: CustomStringConvertible {
    /// The name of the state, and the error.
    public var description: String {
        switch self {
        case .queued: "queued"
        case .sending: "sending"
        case .acknowledged: "acknowledged"
        case .rejected(let error): "rejected (\(error))"
        case .dead(let error): "dead (\(error))"
        }
    }
}
