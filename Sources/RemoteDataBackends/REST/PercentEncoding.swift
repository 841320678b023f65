/// Percent-encoding (RFC 3986, section 2.1): everything but unreserved characters is encoded.
enum PercentEncoding {
    /// Words of the protocol, and what URL parsers take for steps up and down: as a name they are encoded in
    /// full.
    private static let words: Set<String> = [
        "count", "find", "bulk", "bulkupsert", "upsert", "changes", "delete", ".", "..",
    ]
    private static let digits = Array("0123456789ABCDEF".utf8)

    /// A name as one segment of a path.
    static func segment(_ name: String) -> String { encode(name, keepsUnreserved: !words.contains(name)) }

    /// A value in a query.
    static func query(_ value: String) -> String { encode(value, keepsUnreserved: true) }

    private static func encode(_ text: String, keepsUnreserved: Bool) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        for byte in text.utf8 {
            if keepsUnreserved, isUnreserved(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The text behind an encoded part; nil for a broken escape or what is not UTF-8.
    static func decoded(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122: true
        default: "-._~".utf8.contains(byte)
        }
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }
}
