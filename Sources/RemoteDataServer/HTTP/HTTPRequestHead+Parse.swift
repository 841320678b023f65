extension HTTPRequestHead {
    /// Reads a head with the empty line that ends it.
    ///
    /// - Throws: ``HTTPRefusal`` that says what is wrong.
    static func parse(_ bytes: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPRequestHead {
        var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false)[...]
        guard let first = try line(lines.popFirst()) else { throw .unreadable("There is no request line.") }
        let (method, target, isVersion11) = try requestLine(first)
        var fields: [HTTPField] = []
        while let line = try line(lines.popFirst()), !line.isEmpty { fields.append(try field(line)) }
        guard fields.count <= fieldLimit else {
            throw HTTPRefusal(431, 1431, "The header has more than \(fieldLimit) fields.")
        }
        let hosts = fields.count { $0.name == "host" }
        guard hosts == 1 || hosts == 0 && !isVersion11 else {
            throw .unreadable("A request has one Host field, not \(hosts).")
        }
        return HTTPRequestHead(
            method: method,
            target: target,
            isVersion11: isVersion11,
            fields: fields,
            framing: try framing(fields)
        )
    }

    private static let fieldLimit = 100

    private static func line(_ line: ArraySlice<UInt8>?) throws(HTTPRefusal) -> ArraySlice<UInt8>? {
        guard let line, !line.isEmpty else { return nil }
        guard line.last == 0x0D else { throw .unreadable("A line of the header does not end in CR LF.") }
        return line.dropLast()
    }

    private static func requestLine(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> (String, String, Bool) {
        let parts = line.split(separator: 0x20, omittingEmptySubsequences: false)
        guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(isTokenByte),
            parts[1].allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .unreadable("This is not an HTTP request.") }
        let version = String(decoding: parts[2], as: UTF8.self)
        guard version.utf8.count == 8, version.hasPrefix("HTTP/1."),
            let minor = version.last?.wholeNumberValue
        else {
            throw .unreadable("This server speaks HTTP/1.1 only.")
        }
        let target = String(decoding: parts[1], as: UTF8.self)
        return (String(decoding: parts[0], as: UTF8.self), try originForm(target), minor >= 1)
    }

    /// Takes the path and query out of a target that may be a whole URL (RFC 9112, 3.2.2).
    private static func originForm(_ target: String) throws(HTTPRefusal) -> String {
        if target.hasPrefix("/") { return target }
        guard let scheme = ["http://", "https://"].first(where: { target.asciiLowercased.hasPrefix($0) })
        else {
            throw .unreadable("The request's target is no path.")
        }
        let rest = target.dropFirst(scheme.count)
        guard let slash = rest.firstIndex(where: { $0 == "/" || $0 == "?" }) else { return "/" }
        return rest[slash] == "/" ? String(rest[slash...]) : "/" + rest[slash...]
    }

    private static func field(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> HTTPField {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex,
            line[..<colon].allSatisfy(isTokenByte)
        else { throw .unreadable("A line of the header is no field.") }
        let value = line[(colon + 1)...]
        guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
            throw .unreadable("A field of the header holds a control character.")
        }
        let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
        return HTTPField(name: name, value: text(value).trimming)
    }

    /// The bytes as UTF-8, or else as ISO 8859-1, so that different bytes never become the same text.
    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: bytes.map { Unicode.Scalar($0) })
        return String(text)
    }

    /// Two lengths, or a length and chunks, are how requests are smuggled past proxies: refused (RFC 9112,
    /// 6.3).
    private static func framing(_ fields: [HTTPField]) throws(HTTPRefusal) -> HTTPBodyFraming {
        let lengths = fields.filter { $0.name == "content-length" }
        let codings = fields.filter { $0.name == "transfer-encoding" }
        guard lengths.count + codings.count <= 1 else {
            throw .unreadable("The length of the body is given twice.")
        }
        if let coding = codings.first {
            guard coding.value.asciiLowercased == "chunked" else {
                throw HTTPRefusal(501, 1501, "This server knows no transfer coding but chunked.")
            }
            return .chunked
        }
        guard let text = lengths.first?.value else { return .none }
        guard !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else {
            throw .unreadable("The Content-Length is no number.")
        }
        return .length(Int(text) ?? .max)
    }

    /// Whether a byte can be part of a method or a field's name (RFC 9110, 5.6.2).
    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"), UInt8(ascii: "&"),
            UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
            true
        default: false
        }
    }
}
