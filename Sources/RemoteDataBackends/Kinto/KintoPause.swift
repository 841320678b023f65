import RemoteDataExecution
import RemoteDataNetwork
import Synchronization
import Foundation

/// Sends nothing while a server asks for a pause, which Kinto does in the header `Backoff` of any answer.
///
/// A request waits for the end of the pause where its deadline allows for that, and otherwise fails at once.
final class KintoPause: HTTPTransport {
    /// The longest pause that is kept, whatever a server asks for.
    static let longest: Duration = .seconds(3_600)

    private let transport: any HTTPTransport
    private let clock: any Clock<Duration>
    private let watch: Stopwatch
    private let now: @Sendable () -> Date
    /// When the pause ends, by the watch.
    private let end = Mutex(Duration.zero)

    init(_ transport: any HTTPTransport, _ clock: any Clock<Duration>, _ now: @escaping @Sendable () -> Date)
    {
        (self.transport, self.clock, self.now) = (transport, clock, now)
        watch = Stopwatch(clock)
    }

    /// How long the pause still is; zero for none.
    var rest: Duration { max(.zero, end.withLock { $0 } - watch.elapsed) }

    func send(_ request: HTTPRequest) async throws(NetworkError) -> HTTPResponse {
        var request = request
        // It may be made longer meanwhile.
        while case let rest = rest, rest > .zero {
            if let left = request.timeouts.total {
                guard rest < left else {
                    throw NetworkError(
                        .overloaded,
                        "The server asks to be left alone for \(Int(rest.seconds.rounded(.up))) s.",
                        retryAfter: rest
                    )
                }
                request.timeouts.total = left - rest
            }
            do { try await clock.sleep(for: rest) } catch { throw .cancelled }
        }
        let answer = try await transport.send(request)
        if let wish = answer.headers["Backoff"].flatMap({ RetryAfter.duration($0, now: now()) }) {
            let until = watch.elapsed + min(wish, Self.longest)
            end.withLock { $0 = max($0, until) }
        }
        return answer
    }
}
