/// A body that comes in chunks (RFC 9112, 7.1); extensions and trailers are read over.
struct HTTPChunkedBody {
    /// How far the bytes led; `used` of them belong to the body.
    enum Progress: Equatable {
        case incomplete(used: Int)
        case complete(used: Int)
        case tooLarge
    }

    private enum State {
        case size
        case data(left: Int)
        case endOfData
        case trailer
    }

    /// What has come in, without the framing.
    private(set) var bytes: [UInt8] = []
    private let limit: Int
    private var state = State.size
    /// A line of sizes or trailers may be this long; trailers together may take four of it.
    private static let lineLimit = 4_096
    private var trailerBytes = 0

    init(limit: Int) { self.limit = limit }

    /// Takes as much as is there.
    mutating func read(_ input: ArraySlice<UInt8>) throws(HTTPRefusal) -> Progress {
        var rest = input
        while true {
            switch state {
            case .size:
                guard let line = try nextLine(&rest) else {
                    return .incomplete(used: input.count - rest.count)
                }
                let size = try Self.size(line)
                guard size <= limit - bytes.count else { return .tooLarge }
                state = size == 0 ? .trailer : .data(left: size)
            case .data(let left):
                let part = rest.prefix(left)
                bytes += part
                rest = rest.dropFirst(part.count)
                guard part.count == left else {
                    state = .data(left: left - part.count)
                    return .incomplete(used: input.count - rest.count)
                }
                state = .endOfData
            case .endOfData:
                guard let line = try nextLine(&rest) else {
                    return .incomplete(used: input.count - rest.count)
                }
                guard line.isEmpty else { throw .unreadable("A chunk of the body is longer than it says.") }
                state = .size
            case .trailer:
                guard let line = try nextLine(&rest) else {
                    return .incomplete(used: input.count - rest.count)
                }
                if line.isEmpty { return .complete(used: input.count - rest.count) }
                trailerBytes += line.count
                guard trailerBytes <= 4 * Self.lineLimit else {
                    throw .unreadable("The trailer is too long.")
                }
            }
        }
    }

    private func nextLine(_ rest: inout ArraySlice<UInt8>) throws(HTTPRefusal) -> ArraySlice<UInt8>? {
        guard let end = rest.prefix(Self.lineLimit).firstIndex(of: 0x0A) else {
            if rest.count >= Self.lineLimit {
                throw .unreadable("A line between the chunks of the body is too long.")
            }
            return nil
        }
        guard end > rest.startIndex, rest[end - 1] == 0x0D else {
            throw .unreadable("A line between the chunks of the body does not end in CR LF.")
        }
        defer { rest = rest[(end + 1)...] }
        return rest[..<(end - 1)]
    }

    private static func size(_ line: ArraySlice<UInt8>) throws(HTTPRefusal) -> Int {
        let digits = line.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || (65...70) ~= $0 & 0xDF }
        // Space may precede an extension alone.
        let rest = line[digits.endIndex...].drop { $0 == 0x20 || $0 == 0x09 }
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), digits.count <= 15,
            rest.isEmpty || rest.first == UInt8(ascii: ";"), !rest.contains(0x0D)
        else { throw .unreadable("A chunk of the body has no size.") }
        return size
    }
}
