import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import RemoteData
import Synchronization

// What Datasette is asked, and how its answers are read.
extension DatasetteTable {
    /// The token of the rows behind a key.
    func token(_ key: Key) throws(RemoteDataError) -> String {
        guard key.values.isEmpty else {
            throw RemoteDataError(.invalidRequest, "The key is not one of the order of the ids.")
        }
        return tilde(key.id.description)
    }

    /// Text as Datasette has it in paths and tokens.
    func tilde(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case 48...57, 65...90, 97...122, 45, 95: String(UnicodeScalar(byte))
            case 32: "+"
            default: "~" + String(format: "%02X", byte)
            }
        }.joined()
    }

    /// Refuses what Datasette has no way to do, and columns it would take for text.
    func check(_ query: Query) async throws(RemoteDataError) {
        guard query.sort.isEmpty else {
            throw RemoteDataError(.invalidRequest, "Rows of Datasette come in the order of their ids only.")
        }
        let names = query.columns.map(\.description)
        guard !names.isEmpty else { return }
        if !columns.withLock({ $0.isSuperset(of: names) }) {
            let answer = try await get(["_size": "0", "_extra": "columns"])
            columns.withLock { $0 = Set(answer["columns"] as? [String] ?? []) }
        }
        guard let name = names.first(where: { name in columns.withLock { !$0.contains(name) } }) else {
            return
        }
        throw RemoteDataError(.unknownColumn, "Datasette's table \(self.name) has no column \"\(name)\".")
    }

    /// Asks, and reads a JSON object; an answer that is none of success is an error with Datasette's own words.
    func get(_ parameters: [String: String?], path: String = "") async throws(RemoteDataError) -> [String:
        Any]
    {
        // It lets others keep its answers for five seconds.
        let items = parameters.merging(["_ttl": "0"]) { first, _ in first }.compactMap { name, value in
            value.map { "\(name)=\(Self.percent($0))" }
        }
        guard let address = URL(string: "\(url)\(path).json?\(items.sorted().joined(separator: "&"))") else {
            throw RemoteDataError(.invalidRequest, "\(url) is no URL.")
        }
        let (data, response): (Data, URLResponse)
        do {
            (data, response) = try await URLSession.shared.data(
                for: URLRequest(url: address, timeoutInterval: 20)
            )
        } catch {
            throw RemoteDataError(.unreachable, "Datasette at \(url) does not answer.", cause: error)
        }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        let answer = (try? JSONSerialization.jsonObject(with: data)) as? [String: Any]
        guard status == 200, let answer else {
            let codes: [Int: RemoteDataError.Code] = [
                400: .invalidRequest, 401: .unauthorized, 403: .forbidden, 404: .notFound,
                200: .invalidAnswer,
            ]
            let words = answer?["error"] as? String ?? "nothing that can be read"
            throw RemoteDataError(
                codes[status] ?? .unavailable,
                "Datasette says of \(name) (\(status)): \(words)",
                status: status
            )
        }
        return answer
    }

    private static func percent(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? text
    }

    func rows(_ answer: [String: Any]) throws(RemoteDataError) -> [Row] {
        guard let rows = answer["rows"], let json = try? JSONSerialization.data(withJSONObject: rows) else {
            throw RemoteDataError(.invalidAnswer, "Datasette's answer about \(name) has no rows.")
        }
        return try Page.parse([UInt8](json), idColumn: idColumn).rows
    }
}
