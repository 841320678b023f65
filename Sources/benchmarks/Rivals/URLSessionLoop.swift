import Foundation
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What one would write today: `URLSession`, `JSONDecoder`, a loop over pages.
struct URLSessionLoop {
    private let session = URLSession(configuration: .ephemeral)
    private let decoder = JSONDecoder()

    func page(_ url: String) throws -> [Person] {
        guard let url = URL(string: url) else { throw UsageError(message: "\(url) is no URL") }
        let arrival = DispatchSemaphore(value: 0)
        let answer = Mutex<Data?>(nil)
        session.dataTask(with: url) { data, _, _ in
            answer.withLock { $0 = data }
            arrival.signal()
        }.resume()
        arrival.wait()
        return try decoder.decode([Person].self, from: answer.withLock { $0 } ?? Data())
    }
}
