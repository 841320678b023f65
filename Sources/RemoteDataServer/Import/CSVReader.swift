/// Reads comma-separated values as RFC 4180 has them, a part of the text at a time.
///
/// Fields may be quoted, quotes in them are doubled, and line breaks in them are theirs; lines end in LF or
/// CR LF; a byte order mark is passed over. Anything else out of the ordinary is an error that names its
/// line.
public struct CSVReader: Sendable {
    /// One field as it stood.
    public struct Field: Sendable, Hashable {
        /// The text, without the quotes.
        public let text: String
        /// Whether it stood in quotes.
        public let isQuoted: Bool

        /// Creates a field.
        public init(_ text: String, isQuoted: Bool = false) {
            self.text = text
            self.isQuoted = isQuoted
        }
    }

    /// The fields of a record, which is a line unless fields hold line breaks.
    public struct Record: Sendable, Hashable {
        /// The fields in their order; a blank line has one, which is empty.
        public let fields: [Field]
        /// The line the record starts on, counted from 1.
        public let line: Int
    }

    private enum State { case fieldStart, plain, quoted, quoteSeen, returnSeen }

    /// A record may have this many bytes; one quote that is never closed would otherwise take the whole file.
    private static let recordLimit = 16 << 20

    private var state = State.fieldStart
    private var bytes: [UInt8] = []
    private var isQuoted = false
    private var fields: [Field] = []
    private var recordBytes = 0
    private var line = 1
    private var recordLine = 1
    private var quoteLine = 1
    /// How much of a byte order mark has been seen; nil once there can be none.
    private var markBytes: Int? = 0

    /// Starts at the beginning of a text.
    public init() {}

    /// Takes the next part of the text.
    ///
    /// - Returns: The records that are complete with it.
    /// - Throws: ``TableServerError`` with code `malformed` that names the line.
    public mutating func read(_ part: some Sequence<UInt8>) throws(TableServerError) -> [Record] {
        var records: [Record] = []
        for byte in part {
            if let seen = markBytes {
                let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
                if byte == mark[seen] {
                    markBytes = seen == 2 ? nil : seen + 1
                    continue
                }
                markBytes = nil
                for byte in mark[..<seen] { try take(byte, &records) }
            }
            try take(byte, &records)
        }
        return records
    }

    /// Takes the end of the text.
    ///
    /// - Returns: The last record, when no line break ended it.
    /// - Throws: ``TableServerError`` with code `malformed` that names the line.
    public mutating func finish() throws(TableServerError) -> [Record] {
        var records: [Record] = []
        switch state {
        case .quoted: throw Self.malformed(quoteLine, "A quote is opened and never closed.")
        case .returnSeen: throw Self.malformed(line, "A carriage return stands without a line feed.")
        case .fieldStart where fields.isEmpty: break
        case .fieldStart, .plain, .quoteSeen: try endRecord(&records)
        }
        return records
    }

    private mutating func take(_ byte: UInt8, _ records: inout [Record]) throws(TableServerError) {
        recordBytes += 1
        if recordBytes > Self.recordLimit {
            let line = state == .quoted ? quoteLine : recordLine
            throw Self.malformed(line, "The record has more than 16 MiB; is a quote never closed?")
        }
        switch state {
        case .quoted:
            if byte == UInt8(ascii: "\"") { state = .quoteSeen } else { bytes.append(byte) }
            if byte == 0x0A { line += 1 }
        case .quoteSeen where byte == UInt8(ascii: "\""):
            bytes.append(byte)
            state = .quoted
        case .returnSeen:
            guard byte == 0x0A else {
                throw Self.malformed(line, "A carriage return stands without a line feed.")
            }
            try endRecord(&records)
        case .fieldStart where byte == UInt8(ascii: "\""):
            state = .quoted
            isQuoted = true
            quoteLine = line
        case .fieldStart, .plain, .quoteSeen: try takeOutsideQuotes(byte, &records)
        }
    }

    private mutating func takeOutsideQuotes(_ byte: UInt8, _ records: inout [Record]) throws(TableServerError)
    {
        switch byte {
        case UInt8(ascii: ","): try endField()
        case 0x0A: try endRecord(&records)
        case 0x0D: state = .returnSeen
        case _ where state == .quoteSeen:
            throw Self.malformed(line, "Something follows a closing quote; a quote in a field is doubled.")
        case UInt8(ascii: "\""):
            throw Self.malformed(line, "A quote stands inside a field that is not quoted.")
        default:
            state = .plain
            bytes.append(byte)
        }
    }

    private mutating func endField() throws(TableServerError) {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Self.malformed(line, "The text is not UTF-8.")
        }
        fields.append(Field(text, isQuoted: isQuoted))
        bytes.removeAll(keepingCapacity: true)
        isQuoted = false
        state = .fieldStart
    }

    private mutating func endRecord(_ records: inout [Record]) throws(TableServerError) {
        try endField()
        records.append(Record(fields: fields, line: recordLine))
        fields = []
        line += 1
        recordLine = line
        recordBytes = 0
    }

    static func malformed(_ line: Int, _ problem: String) -> TableServerError {
        TableServerError(.malformed, "Line \(line): \(problem)")
    }
}
