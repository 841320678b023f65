import RemoteDataExecution
import Dispatch
import Foundation

/// Looks up names away from the socket thread, which a slow name server must not hold up.
enum Resolver {
    private static let queue = DispatchQueue(label: "RemoteData.resolver", attributes: .concurrent)

    /// The numeric addresses of a host, the preferred one first.
    ///
    /// A look-up that takes longer than the limit cannot be stopped, but is not waited for.
    static func addresses(of host: String, within limit: Duration) async throws(NetworkError) -> [String] {
        if let known = lookUp(host, flags: AI_NUMERICHOST) { return known }
        let handoff = Handoff<[String], NetworkError>()
        let alarm = Alarm(on: queue, after: limit) {
            handoff.finish(
                .failure(NetworkError(.timedOut, "The name \(host) was not resolved within \(limit)."))
            )
        }
        defer { alarm.cancel() }
        queue.async {
            handoff.finish(
                lookUp(host, flags: AI_ADDRCONFIG).map { .success($0) }
                    ?? .failure(
                        NetworkError(.unreachable, "The name \(host) cannot be resolved. Check the URL.")
                    )
            )
        }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { _ = handoff.start($0) }
        } onCancel: {
            handoff.finish(.failure(.cancelled))
        }
        return try result.get()
    }

    private static func lookUp(_ host: String, flags: Int32) -> [String]? {
        var hints = addrinfo()
        hints.ai_flags = flags
        #if os(Linux)
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
        hints.ai_socktype = SOCK_STREAM
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else { return nil }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        for entry in sequence(first: list, next: { $0?.pointee.ai_next }) {
            guard let entry = entry?.pointee else { break }
            let code = getnameinfo(
                entry.ai_addr,
                entry.ai_addrlen,
                &text,
                socklen_t(text.count),
                nil,
                0,
                NI_NUMERICHOST
            )
            if code == 0 {
                addresses.append(String(decoding: text.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self))
            }
        }
        return addresses.isEmpty ? nil : addresses
    }
}
