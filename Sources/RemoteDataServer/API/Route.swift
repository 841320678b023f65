/// What a request is about: its method and path, read.
enum Route: Sendable, Equatable {
    case info
    case page(table: String)
    case find(table: String)
    case count(table: String)
    case countByBody(table: String)
    case row(table: String, RowAddress)
    case create(table: String)
    case upsert(table: String)
    case update(table: String, RowAddress)
    case delete(table: String, RowAddress)
    case bulkCreate(table: String)
    case bulkUpsert(table: String)
    case bulkUpdate(table: String)
    case bulkDelete(table: String)
    case changes(table: String)
    /// Where WebSockets are, asked for without one.
    case socket

    /// The id in a path, undecided while it may be an integer or text.
    struct RowAddress: Sendable, Equatable {
        let text: String
    }

    /// Whether it is about one row that may not be there yet.
    var makesOneRow: Bool {
        switch self {
        case .create, .upsert: true
        default: false
        }
    }

    /// Reads a method and a path.
    ///
    /// - Parameters:
    ///   - method: The method; `HEAD` is `GET` here.
    ///   - path: The path without its query, still encoded.
    /// - Returns: What is asked for.
    /// - Throws: ``HTTPRefusal``: 404 or 405 with `Allow`, or 400 for a path that cannot be read.
    static func parse(method: String, path: Substring) throws(HTTPRefusal) -> Route {
        let routes = try candidates(path)
        guard !routes.isEmpty else { throw HTTPRefusal(404, 1404, "There is nothing at this path.") }
        let wanted = method == "HEAD" ? "GET" : method
        if let route = routes.first(where: { $0.0 == wanted })?.1 { return route }
        let methods = routes.map(\.0)
        let allowed = (methods + (methods.contains("GET") ? ["HEAD"] : [])).sorted().joined(separator: ", ")
        throw HTTPRefusal(
            405,
            1405,
            "This path can be asked by \(allowed) only.",
            fields: [HTTPField(name: "Allow", value: allowed)]
        )
    }

    /// Whether a target is the one for WebSockets.
    static func isChanges(_ target: String) -> Bool {
        target[...].part(before: "?").part(before: "#") == "/api/changes"
    }

    /// What each method does at a path.
    private static func candidates(_ path: Substring) throws(HTTPRefusal) -> [(String, Route)] {
        guard path.utf8.first == UInt8(ascii: "/") else { return [] }
        var segments: [Segment] = []
        for part in path.parts(between: "/").dropFirst() { segments.append(try Segment(part)) }
        guard segments.first?.word == "api" else { return [] }
        switch segments.count {
        case 2: return ["info": [("GET", .info)], "changes": [("GET", .socket)]][segments[1].word] ?? []
        case 3...5 where segments[1].word == "data": return try data(Array(segments[2...]))
        default: return []
        }
    }

    private static func data(_ segments: [Segment]) throws(HTTPRefusal) -> [(String, Route)] {
        switch (segments[0].word, segments.count) {
        case ("bulk", 2):
            let table = try segments[1].tableName
            return [("POST", .bulkCreate(table: table)), ("PUT", .bulkUpdate(table: table))]
        case ("bulk", 3):
            guard segments[2].word == "delete" else { return [] }
            return [("POST", .bulkDelete(table: try segments[1].tableName))]
        case ("bulkupsert", 2): return [("PUT", .bulkUpsert(table: try segments[1].tableName))]
        case ("bulk", _), ("bulkupsert", _): return []
        case (_, 1):
            let table = try segments[0].tableName
            return [("GET", .page(table: table)), ("POST", .create(table: table))]
        case (_, 2): return try below(segments[0].tableName, segments[1])
        default: return []
        }
    }

    private static func below(_ table: String, _ segment: Segment) throws(HTTPRefusal) -> [(String, Route)] {
        switch segment.word {
        case "count": return [("GET", .count(table: table)), ("POST", .countByBody(table: table))]
        case "find": return [("POST", .find(table: table))]
        case "upsert": return [("PUT", .upsert(table: table))]
        case "changes": return [("GET", .changes(table: table))]
        case "bulk", "": return []
        default:
            let id = RowAddress(text: segment.text)
            return [
                ("GET", .row(table: table, id)), ("PUT", .update(table: table, id)),
                ("DELETE", .delete(table: table, id)),
            ]
        }
    }
}

/// One part of a path.
private struct Segment {
    /// The part decoded.
    let text: String
    /// The part when it may be a word of the protocol; nothing for an encoded part, which never is one.
    let word: String

    init(_ part: Substring) throws(HTTPRefusal) {
        guard let text = PercentEncoding.decoded(part) else {
            throw .unreadable("The path is not percent-encoded UTF-8.")
        }
        self.text = text
        let isEncoded = part.utf8.contains(UInt8(ascii: "%"))
        word = isEncoded ? "%" : text
    }

    /// The part as the name of a table.
    var tableName: String {
        get throws(HTTPRefusal) {
            try TableName.check(text)
            return text
        }
    }
}

/// What a table may be called.
enum TableName {
    /// Refuses names that are empty, over 200 bytes, or hold control characters.
    static func check(_ name: String) throws(HTTPRefusal) {
        guard (1...200).contains(name.utf8.count), !name.unicodeScalars.contains(where: \.isControl) else {
            throw .unreadable("A table's name has 1 to 200 bytes and no control characters.")
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool {
        isASCII ? value < 0x20 || value == 0x7F : properties.generalCategory == .control
    }
}
