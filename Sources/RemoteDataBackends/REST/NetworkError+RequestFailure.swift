import RemoteData
package import RemoteDataNetwork

extension NetworkError: RequestFailure {
    /// Whether there was no connection to send a request over.
    package var wasNeverSent: Bool { code == .unreachable }
}
