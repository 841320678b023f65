/// An error of a request that got no answer, which may say that it never left.
package protocol RequestFailure: Error {
    /// Whether no server can have received the request, as there was no connection to send it over.
    var wasNeverSent: Bool { get }
}

extension RemoteDataError {
    /// Whether the server is known not to have done what it was asked: it was not reached, or it answered so.
    var leavesUndone: Bool {
        switch status {
        case 429, 503: true
        default: (cause as? any RequestFailure)?.wasNeverSent ?? false
        }
    }
}
