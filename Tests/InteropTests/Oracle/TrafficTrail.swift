import RemoteData
import Synchronization

/// The last things that a table's network did, in words.
final class TrafficTrail: TrafficObserver {
    private let lines = Mutex<[String]>([])

    func observe(_ event: TrafficEvent) {
        let url = event.url.map { $0.split(separator: "/", maxSplits: 2).last.map(String.init) ?? $0 } ?? ""
        let parts: [String?] = [
            "\(event.kind)", event.method, String(url.prefix(120)), event.status.map { "\($0)" },
            event.error.map { "\($0)" },
        ]
        lines.withLock { lines in
            if lines.count == 60 { lines.removeFirst() }
            lines.append(parts.compactMap(\.self).joined(separator: " "))
        }
    }

    var text: [String] { lines.withLock { $0 } }
}
