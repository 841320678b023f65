/// Reads header lines as a transport receives them.
///
/// An interim answer (1xx, RFC 9110 section 15.2) is dropped when the next status line comes; fields behind
/// the body are not kept.
struct HeaderBlock: Sendable {
    private(set) var fields: [HTTPHeaders.Field] = []
    private(set) var version = "HTTP/1.1"
    private(set) var byteCount = 0
    /// The status; 0 before there is one.
    private(set) var status = 0
    /// Whether the line behind the last field has come.
    private(set) var isComplete = false

    /// The length of the body as it travels, where the answer says.
    var contentLength: Int? {
        fields.first { $0.name.isSameName(as: "Content-Length") }.flatMap { Int($0.value) }
    }

    /// Takes one line with its line break.
    mutating func take(_ line: UnsafeRawBufferPointer) {
        byteCount += line.count
        let line = line.trimmed
        if line.starts(with: "HTTP/".utf8) {
            fields.removeAll(keepingCapacity: true)
            isComplete = false
            version = String(decoding: line.prefix { $0 != 0x20 }, as: UTF8.self)
            let code = line.drop { $0 != 0x20 }.drop { $0 == 0x20 }.prefix { $0 != 0x20 }
            status = Int(String(decoding: code, as: UTF8.self)) ?? 0
        } else if line.isEmpty {
            isComplete = true
        } else if !isComplete, let colon = line.firstIndex(of: 0x3A) {
            let name = String(
                decoding: UnsafeRawBufferPointer(rebasing: line[..<colon]).trimmed,
                as: UTF8.self
            )
            let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...]).trimmed
            fields.append(.init(name: name, value: String(decoding: value, as: UTF8.self)))
        }
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes without spaces, tabs and line breaks at either end.
    fileprivate var trimmed: UnsafeRawBufferPointer {
        var lower = startIndex
        var upper = endIndex
        while lower < upper, self[lower].isBlank { lower += 1 }
        while lower < upper, self[upper - 1].isBlank { upper -= 1 }
        return UnsafeRawBufferPointer(rebasing: self[lower..<upper])
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0D || self == 0x0A }
}
