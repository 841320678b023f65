/// One row as the table holds it: its id and its JSON, undecoded.
///
/// A row of a page shares the bytes of the page, so making or copying one copies no JSON. Its id mostly is the place that it has
/// in the JSON: 40 bytes a row, and none on the heap.
public struct Row: Sendable {
    /// Its JSON, or what it is a part of: a page, or what came over a socket at a time.
    private var bytes: [UInt8]
    /// What the bytes do not tell; nil for most rows.
    private var rest: Rest?
    /// Where the JSON starts.
    private var start: UInt32
    /// How long it is; `toEnd` where it is all that follows.
    private let length: UInt32
    private var idPlace: IDPlace
    // The parts of ``RevisionBits``, each where it fills a gap.
    private let revisionHigh: UInt16
    private let revisionLow: UInt32
    private let epochNumber: UInt32

    /// Where the id lies in the bytes: text without escapes and quotes, or digits.
    private struct IDPlace {
        let start: UInt32
        /// How long it is, and the highest bit for digits.
        private let bits: UInt16

        static let nowhere = IDPlace(start: 0, bits: 0)
        private static let digits: UInt16 = 0x8000

        private init(start: UInt32, bits: UInt16) { (self.start, self.bits) = (start, bits) }

        var isText: Bool { bits < Self.digits }

        var range: Range<Int> { Int(start)..<(Int(start) + Int(bits & ~Self.digits)) }

        func moved(by offset: Int) -> IDPlace { IDPlace(start: UInt32(Int(start) + offset), bits: bits) }

        /// Nil where it is too far away or too long to be told, and where it does not lie in the bytes.
        init?(_ id: FoundID) {
            switch id {
            case .text(let range): self.init(range, 0)
            case .integer(let range): self.init(range, Self.digits)
            case .apart: return nil
            }
        }

        private init?(_ range: Range<Int>, _ kind: UInt16) {
            guard let start = UInt32(exactly: range.lowerBound), range.count < Self.digits else { return nil }
            self.init(start: start, bits: UInt16(range.count) | kind)
        }
    }

    /// A revision in ten bytes: 48 bits of its number, and its epoch.
    private struct RevisionBits {
        let number: UInt64
        let epoch: UInt32

        /// There is none, or one that does not fit, which is in ``Rest``.
        static let elsewhere = RevisionBits(number: limit, epoch: 0)
        private static let limit: UInt64 = 1 << 48 - 1

        init(number: UInt64, epoch: UInt32) { (self.number, self.epoch) = (number, epoch) }

        /// Nil where the number does not fit.
        init?(_ revision: Revision) {
            guard let number = UInt64(exactly: revision.rawValue), number < Self.limit else { return nil }
            self.init(number: number, epoch: revision.epoch?.rawValue ?? 0)
        }

        var parts: (high: UInt16, low: UInt32, epoch: UInt32) {
            (UInt16(truncatingIfNeeded: number >> 32), UInt32(truncatingIfNeeded: number), epoch)
        }

        var revision: Revision? {
            number == Self.limit ? nil : Revision(Int64(number), epoch: Epoch(rawValue: epoch))
        }
    }

    private var revisionBits: RevisionBits {
        RevisionBits(number: UInt64(revisionHigh) << 32 | UInt64(revisionLow), epoch: epochNumber)
    }

    private final class Rest: Sendable {
        /// Nil where it lies in the bytes.
        let id: RowID?
        let place: SortPlace?
        /// Nil where there is none, or where it fits into the row.
        let revision: Revision?

        private init(id: RowID?, place: SortPlace?, revision: Revision?) {
            (self.id, self.place, self.revision) = (id, place, revision)
        }

        /// Nil where there is nothing.
        static func make(id: RowID?, place: SortPlace?, revision: Revision?) -> Rest? {
            guard id != nil || place != nil || revision != nil else { return nil }
            return Rest(id: id, place: place, revision: revision)
        }
    }

    private static let toEnd = UInt32.max

    /// How a revision is kept: in the row, and what does not fit there.
    private static func bits(_ revision: Revision?) -> (RevisionBits, rest: Revision?) {
        guard let revision else { return (.elsewhere, nil) }
        return RevisionBits(revision).map { ($0, nil) } ?? (.elsewhere, revision)
    }

    /// Takes JSON that is known to be one valid object holding the id.
    ///
    /// Use ``parse(_:idColumn:revision:)`` for bytes from elsewhere.
    ///
    /// - Complexity: O(bytes): the id is looked for, and a slice that is not all of an array is copied.
    public init(id: RowID, revision: Revision? = nil, json: ArraySlice<UInt8>) {
        let bytes = Array(json)
        self.init(id: id, revision: revision, in: bytes, bytes.indices)
    }

    /// The same for a part of some bytes, which are shared.
    package init(id: RowID, revision: Revision?, in bytes: [UInt8], _ range: Range<Int>) {
        self.init(bytes, range, id: FoundID(id, in: bytes.span, range), revision: revision)
    }

    /// Takes a part of some bytes that is known to be one valid object.
    ///
    /// - Parameters:
    ///   - bytes: They are shared.
    ///   - range: Where in them the object is.
    ///   - id: Its id, by where it lies in the bytes.
    ///   - revision: The revision of its last change.
    init(_ bytes: [UInt8], _ range: Range<Int>, id: FoundID, revision: Revision?) {
        let place = IDPlace(id)
        let (bits, revision) = Self.bits(revision)
        (revisionHigh, revisionLow, epochNumber) = bits.parts
        if range.upperBound < Self.toEnd, let place {
            self.bytes = bytes
            (start, length) = (UInt32(range.lowerBound), UInt32(range.count))
            (idPlace, rest) = (place, Rest.make(id: nil, place: nil, revision: revision))
        } else {
            // Its id is elsewhere, or something is farther away than can be told: such a row has bytes of its own.
            self.bytes = range == bytes.indices ? bytes : Array(bytes[range])
            (start, length) = (0, Self.toEnd)
            (idPlace, rest) = (.nowhere, Rest.make(id: id.id(in: bytes.span), place: nil, revision: revision))
        }
    }

    private init(_ row: Row, revision: Revision?) {
        (bytes, start, length, idPlace) = (row.bytes, row.start, row.length, row.idPlace)
        let (bits, revision) = Self.bits(revision)
        (revisionHigh, revisionLow, epochNumber) = bits.parts
        // Mostly there is nothing apart, and nothing to be.
        let isSame = row.rest?.revision == revision
        rest = isSame ? row.rest : Rest.make(id: row.rest?.id, place: row.rest?.place, revision: revision)
    }

    /// The same row with another revision.
    public func at(_ revision: Revision?) -> Row { Row(self, revision: revision) }

    /// Gives it memory of its own where it is the smaller part of some, so that it keeps nothing else there.
    ///
    /// - Complexity: O(bytes).
    mutating func takeMemory() {
        guard length != Self.toEnd, Int(length) < bytes.count / 2 else { return }
        bytes = Array(bytes[Int(start)..<end])
        idPlace = idPlace.moved(by: -Int(start))
        start = 0
    }

    /// The same row at a place.
    package func at(_ place: SortPlace) -> Row {
        var row = self
        row.place = place
        return row
    }
}

// What it says.
extension Row {
    /// The row's identity.
    ///
    /// - Complexity: O(bytes of the id): text is made of the JSON each time.
    public var id: RowID {
        if let id = rest?.id { return id }
        guard idPlace.isText else { return .integer(idInteger) }
        return .text(String(copying: bytes.span.extracting(idRange)))
    }

    /// The revision of the row's last change, where the table tells.
    public var revision: Revision? { revisionBits.revision ?? rest?.revision }

    /// The row as UTF-8 JSON: one valid object, the id included.
    ///
    /// - Complexity: O(1).
    public var json: ArraySlice<UInt8> {
        bytes[Int(start)..<end]
    }

    /// Where the row sorts, in a collection over a table whose order cannot be reproduced.
    package internal(set) var place: SortPlace? {
        get { rest?.place }
        set { rest = Rest.make(id: rest?.id, place: newValue, revision: rest?.revision) }
    }

    /// The value of a column; null when the row does not have it.
    ///
    /// - Complexity: O(bytes of the row): the JSON is scanned, not decoded.
    public subscript(column: ColumnPath) -> Value { JSONObject.value(at: column.names, in: json) }

    /// The row as text.
    public var text: String { String(decoding: json, as: UTF8.self) }
}

// Its id, without making it.
extension Row {
    private var idRange: Range<Int> { idPlace.range }

    private var idInteger: Int64 { FoundID.integer(bytes.span.extracting(idRange)) }

    /// The hash of the id, the same as its own.
    var idMark: UInt64 {
        if let id = rest?.id { return id.mark }
        return idPlace.isText ? RowID.mark(of: bytes.span.extracting(idRange)) : RowID.mark(of: idInteger)
    }

    /// The beginning of the id as a value.
    @inline(__always)
    var idBeginning: UInt64 {
        if let id = rest?.id { return id.beginning }
        guard idPlace.isText else { return RowID.integer(idInteger).beginning }
        return Value.beginning(of: bytes.span.extracting(idRange))
    }

    /// Whether the row has an id.
    @inline(__always)
    func has(_ id: RowID) -> Bool {
        guard rest == nil, idPlace.isText, case .text(let text) = id else { return hasOtherwise(id) }
        return bytes.span.extracting(idRange).hasSameBytes(as: text.utf8.span)
    }

    @inline(never)
    private func hasOtherwise(_ id: RowID) -> Bool {
        if let own = rest?.id { return own == id }
        switch id {
        case .text(let text):
            return idPlace.isText && bytes.span.extracting(idRange).hasSameBytes(as: text.utf8.span)
        case .integer(let integer): return !idPlace.isText && idInteger == integer
        }
    }

    /// Whether two rows have the same id.
    ///
    /// Where both are text in the bytes, which is what happens most, neither row is taken hold of.
    @inline(__always)
    func hasSameID(as other: borrowing Row) -> Bool {
        guard rest == nil, other.rest == nil, idPlace.isText, other.idPlace.isText else {
            return hasSameIDOtherwise(as: other)
        }
        return bytes.span.extracting(idRange).hasSameBytes(as: other.bytes.span.extracting(other.idRange))
    }

    @inline(never)
    private func hasSameIDOtherwise(as other: borrowing Row) -> Bool {
        guard rest?.id == nil, other.rest?.id == nil, idPlace.isText == other.idPlace.isText else {
            return id == other.id
        }
        guard idPlace.isText else { return idInteger == other.idInteger }
        return bytes.span.extracting(idRange).hasSameBytes(as: other.bytes.span.extracting(other.idRange))
    }

    /// The order of the ids of two rows.
    static func orderOfIDs(_ left: borrowing Row, _ right: borrowing Row) -> Order {
        guard left.rest?.id == nil, right.rest?.id == nil, left.idPlace.isText, right.idPlace.isText else {
            return Value.order(left.id.value, right.id.value)
        }
        let (first, second) = (
            left.bytes.span.extracting(left.idRange), right.bytes.span.extracting(right.idRange)
        )
        return Value.order(first, second)
    }

    /// The order of an id and a row's.
    static func orderOfIDs(_ left: RowID, _ right: borrowing Row) -> Order {
        guard case .text(let text) = left, right.rest?.id == nil, right.idPlace.isText else {
            return Value.order(left.value, right.id.value)
        }
        return Value.order(text.utf8.span, right.bytes.span.extracting(right.idRange))
    }
}

// The text of many.
extension Row {
    /// How much may lie between the rows of a page that are copied together.
    private static let gapLimit = 16

    /// Copies the text of rows; that of those that lie one behind the other, as the rows of a page do, together with what is between
    /// them.
    ///
    /// - Parameters:
    ///   - rows: Rows.
    ///   - range: Which of them are copied.
    ///   - size: After how many bytes in all no more are copied.
    ///   - json: What is added to.
    ///   - places: Those of the rows in it are added to.
    /// - Complexity: O(bytes).
    static func copy(
        _ rows: [Row],
        _ range: Range<Int>,
        until size: Int,
        into json: inout [UInt8],
        _ places: inout [Range<Int>]
    ) {
        let span = rows.span
        var next = range.lowerBound
        while next < range.upperBound, json.count < size {
            let (first, shift) = (next, json.count - Int(span[next].start))
            var end = 0
            repeat {
                end = span[next].end
                places.append((Int(span[next].start) + shift)..<(end + shift))
                next += 1
            } while next < range.upperBound && end + shift < size && span[next].follows(span[first], at: end)
            json.append(contentsOf: span[first].bytes[Int(span[first].start)..<end])
        }
    }

    private var end: Int { length == Self.toEnd ? bytes.count : Int(start) + Int(length) }

    private func follows(_ other: borrowing Row, at end: Int) -> Bool {
        let gap = Int(start) - end
        return gap >= 0 && gap <= Self.gapLimit && bytes.span.isIdentical(to: other.bytes.span)
    }
}

extension Row: CustomStringConvertible {
    /// The id; never the contents.
    public var description: String { "row \(id)" }
}

extension Row: Hashable {
    /// Whether two rows have the same id, revision and JSON.
    public static func == (left: Row, right: Row) -> Bool {
        left.hasSameID(as: right) && left.revision == right.revision && left.json == right.json
    }

    /// Hashes the id, the revision and the JSON.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(idMark)
        hasher.combine(revision)
        hasher.combine(json)
    }
}

extension Row {
    /// Reads one row: a JSON object whose `idColumn` is text or an integer.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRow` that says what is wrong and where.
    /// - Complexity: O(bytes).
    public static func parse(
        _ json: ArraySlice<UInt8>,
        idColumn: String,
        revision: Revision? = nil
    ) throws(RemoteDataError) -> Row {
        try JSONObject.row(json, idColumn: idColumn, revision: revision)
    }
}
