import Foundation

extension TestConnection {
    /// An answer as it came.
    struct Answer {
        var status: Int
        var fields: [String: String]
        var body: [UInt8]
        var text: String { String(decoding: body, as: UTF8.self) }
        /// The `code` of an error.
        var code: Int? { (json as? [String: Any])?["code"] as? Int }
        var message: String? { (json as? [String: Any])?["message"] as? String }
        var json: Any? { try? JSONSerialization.jsonObject(with: Data(body), options: .fragmentsAllowed) }
    }

    /// Sends a request and reads its answer.
    func ask(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        fields: [String: String] = [:]
    ) throws -> Answer {
        try send(Self.request(method, target, body, fields: fields))
        return try answer(hasBody: method != "HEAD")
    }

    static func request(
        _ method: String,
        _ target: String,
        _ body: String? = nil,
        fields: [String: String] = [:]
    ) -> String {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: localhost\r\n"
        if let body { text += "Content-Length: \(body.utf8.count)\r\n" }
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        return text + "\r\n" + (body ?? "")
    }

    /// Reads an answer.
    func answer(hasBody: Bool = true) throws -> Answer {
        let head = try take(through: "\r\n\r\n")
        let lines = head.components(separatedBy: "\r\n")
        let words = lines[0].split(separator: " ")
        guard words.count > 1, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
            throw Failure(description: "no answer: \(head)")
        }
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
                fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
            }
        }
        let length = fields["content-length"].flatMap { Int($0) } ?? 0
        return Answer(status: status, fields: fields, body: hasBody ? try take(length) : [])
    }
}
