/// Finds the objects in a JSON array of objects, or in objects one after another (JSON Lines), a part at a
/// time.
///
/// It only finds where they begin and end; whether each is valid is for whoever reads it.
struct JSONRowReader: Sendable {
    /// An object as it stood.
    struct Row: Sendable, Equatable {
        let json: [UInt8]
        /// The line it starts on, counted from 1.
        let line: Int
    }

    private enum Place { case start, lines, arrayStart, arrayValue, arrayComma, end }

    private static let rowLimit = 16 << 20

    private var place = Place.start
    private var bytes: [UInt8] = []
    private var depth = 0
    private var isInString = false
    private var isEscaped = false
    private var line = 1
    private var rowLine = 1
    private var markBytes = 0

    /// Takes the next part of the text.
    ///
    /// - Returns: The objects that are complete with it.
    /// - Throws: ``TableServerError`` with code `malformed` that names the line.
    mutating func read(_ part: some Sequence<UInt8>) throws(TableServerError) -> [Row] {
        var rows: [Row] = []
        for byte in part {
            if depth > 0 { try inside(byte, &rows) } else { try outside(byte) }
            if byte == 0x0A { line += 1 }
        }
        return rows
    }

    /// Takes the end of the text.
    func finish() throws(TableServerError) {
        switch place {
        case .lines where depth == 0, .end: return
        case .start: throw CSVReader.malformed(line, "There are no rows.")
        default: throw CSVReader.malformed(depth > 0 ? rowLine : line, "The text ends early.")
        }
    }

    private mutating func inside(_ byte: UInt8, _ rows: inout [Row]) throws(TableServerError) {
        bytes.append(byte)
        guard bytes.count <= Self.rowLimit else {
            throw CSVReader.malformed(rowLine, "The row has more than 16 MiB.")
        }
        if isInString {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInString = false
            }
            return
        }
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"):
            depth -= 1
            guard depth == 0 else { return }
            rows.append(Row(json: bytes, line: rowLine))
            bytes = []
        default: break
        }
    }

    private mutating func outside(_ byte: UInt8) throws(TableServerError) {
        switch (place, byte) {
        case (_, 0x20), (_, 0x09), (_, 0x0A), (_, 0x0D): return
        case (.start, 0xEF) where markBytes == 0, (.start, 0xBB) where markBytes == 1,
            (.start, 0xBF) where markBytes == 2:
            markBytes += 1
        case (.start, UInt8(ascii: "[")): place = .arrayStart
        case (.start, UInt8(ascii: "{")), (.lines, UInt8(ascii: "{")): begin(byte, .lines)
        case (.arrayStart, UInt8(ascii: "{")), (.arrayValue, UInt8(ascii: "{")): begin(byte, .arrayComma)
        case (.arrayComma, UInt8(ascii: ",")): place = .arrayValue
        case (.arrayStart, UInt8(ascii: "]")), (.arrayComma, UInt8(ascii: "]")): place = .end
        default:
            let wanted = place == .arrayComma ? "a comma or the end of the array" : "an object"
            throw CSVReader.malformed(line, "There should be \(wanted).")
        }
    }

    private mutating func begin(_ byte: UInt8, _ next: Place) {
        place = next
        depth = 1
        rowLine = line
        bytes = [byte]
    }
}
