import Foundation
import Synchronization

/// Decodes elements from rows, one after another, without making values of what nobody asks for.
///
/// It knows the plain case and is right there; whatever is not plain, an error included, is Foundation's: single values it does not
/// know it has `JSONDecoder` decode, and where a row as a whole is in doubt it is decoded again by that.
struct RowDecoder: Sendable {
    /// The column that elements call `id`, where they call it otherwise than the rows.
    let idColumn: String?
    private let values: ValueDecoder
    private var shape = JSONShape()
    /// What elements ask for, in that order: mostly what the last one did.
    private var expected: [RowObject.Asked] = []
    /// Grows with each row that asked for what was expected, and pays for learning what another one asked for: there is no use in
    /// that for elements that ask for something else each time.
    private var credit = 64

    /// The most rows whose bytes are copied at a time.
    private static let batchLimit = 64
    /// How many bytes are held on to for the next rows.
    private static let spareSize = 1 << 17

    /// What the last rows were gathered in: memory for the next ones.
    private var spare = RowObject.Batch()
    /// How many rows are copied next: fewer where those that follow each other do not have the same members.
    private var nextCount = batchLimit

    /// Whether it does not hold on to much memory.
    var isSmall: Bool { shape.size <= 1 << 16 }

    /// - Parameters:
    ///   - foundation: Decodes what is not plain.
    ///   - dateScale: How many times a second dates count; nil where they are text.
    ///   - idColumn: The column that elements call `id`, where they call it otherwise.
    init(_ foundation: JSONDecoder, dateScale: Double?, idColumn: String? = nil) {
        values = ValueDecoder(foundation, dateScale: dateScale)
        self.idColumn = idColumn
    }

    /// Decodes rows in their order, and adds them to others.
    ///
    /// - Parameters:
    ///   - rows: The numbers of the rows.
    ///   - copy: Adds rows of these numbers to a batch, all of them or as many as it takes.
    ///   - elements: What is added to.
    ///   - unsure: Is told the number of each row that Foundation has to decode, in its turn.
    mutating func decode<Element: Decodable>(
        _ rows: Range<Int>,
        copy: (Range<Int>, inout RowObject.Batch) -> Void,
        into elements: inout [Element],
        unsure: (Int, inout [Element]) -> Void
    ) {
        defer { if spare.size > Self.spareSize { spare = RowObject.Batch() } }
        var rest = rows
        while !rest.isEmpty {
            let batch = gather(rest.prefix(nextCount), copy)
            if batch.objects.isEmpty {
                unsure(rest.lowerBound, &elements)
                rest = rest.dropFirst()
            } else {
                decode(batch, rest.lowerBound, into: &elements, unsure)
                rest = rest.dropFirst(batch.objects.count)
            }
            spare = batch
        }
    }

    /// The element of a row; nil where Foundation has to decode it.
    mutating func decode<Element: Decodable>(_ type: Element.Type, from row: ArraySlice<UInt8>) -> Element? {
        var elements: [Element] = []
        decode(0..<1, copy: { _, batch in batch.append(row) }, into: &elements) { _, _ in }
        return elements.first
    }

    /// Finds the members of the first rows, as far as they have the same; of none where the first one's are in doubt.
    private mutating func gather(
        _ rows: Range<Int>,
        _ copy: (Range<Int>, inout RowObject.Batch) -> Void
    ) -> RowObject.Batch {
        var batch = spare
        spare = RowObject.Batch()
        batch.json.removeAll(keepingCapacity: true)
        batch.objects.removeAll(keepingCapacity: true)
        // Bytes of its own: those of a page are counted by whoever decodes other rows of it at the same time.
        copy(rows, &batch)
        let json = batch.json
        var (objects, places) = (batch.objects, batch.places)
        batch = RowObject.Batch()
        places.reserveCapacity(objects.count * shape.count)
        var count = 0
        while count < objects.count {
            var start = objects[count].lowerBound
            JSONScanner.skipSpace(json.span, &start)
            var end = find(json.span, start, &places, count)
            if end == nil, count == 0 {
                expected = []
                end = learn(json.span, start, &places)
            }
            // What is no object ends in the one behind it.
            guard let end, end <= objects[count].upperBound else { break }
            objects[count] = start..<end
            count += 1
        }
        // So that few are copied for nothing, whatever follows what.
        nextCount = count == objects.count ? min(Self.batchLimit, 2 * nextCount) : max(1, count)
        objects.removeLast(objects.count - count)
        return RowObject.Batch(json: json, objects: objects, places: places)
    }

    /// Finds the members of another row, if it has the same; the position behind it.
    private func find(
        _ json: borrowing Span<UInt8>,
        _ position: Int,
        _ places: inout [JSONShape.Place],
        _ number: Int
    ) -> Int? {
        guard shape.count > 0 else { return nil }
        let start = number * shape.count
        while places.count < start + shape.count { places.append(.nowhere) }
        var span = places.mutableSpan
        return shape.find(json, from: position, &span, at: start)
    }

    /// Takes the members of a row for those of the next ones; the position behind it, or nil where they are in doubt.
    private mutating func learn(
        _ json: borrowing Span<UInt8>,
        _ position: Int,
        _ places: inout [JSONShape.Place]
    ) -> Int? {
        guard let end = try? shape.learn(json, from: position, &places) else { return nil }
        guard let idColumn, shape.number(of: idColumn) != nil, shape.number(of: "id") != nil else {
            return end
        }
        // Which of the two is meant Foundation decides, for each such row.
        shape = JSONShape()
        return nil
    }

    private mutating func decode<Element: Decodable>(
        _ batch: RowObject.Batch,
        _ first: Int,
        into elements: inout [Element],
        _ unsure: (Int, inout [Element]) -> Void
    ) {
        // Also has what is generic looked up once, and not for each element.
        elements.reserveCapacity(elements.count + batch.objects.count)
        var object = object(batch)
        var isNew = true
        for number in batch.objects.indices {
            object.begin(number)
            values.beginElement()
            do {
                // Straight to where it stays: a copy takes as long as some values.
                elements.append(try Element(from: object))
                if values.isInDoubt {
                    elements.removeLast()
                    unsure(first + number, &elements)
                }
            } catch { unsure(first + number, &elements) }
            // An element that keeps its decoder has one of its own.
            let isKept = isNew && !isKnownUniquelyReferenced(&object)
            if object.hasSurprises {
                isNew = isKept || learn(object.surprises)
            } else {
                isNew = isKept
                credit = min(credit + 1, 64)
            }
            if isNew {
                if !isKept { object.end() }
                object = self.object(batch)
            } else {
                object.remembersContainer = true
            }
        }
        object.end()
    }

    private func object(_ batch: RowObject.Batch) -> RowObject {
        RowObject(batch, shape, expected: expected, idColumn: idColumn, path: nil, values)
    }

    /// Learns what an element asked for that was not expected.
    ///
    /// - Returns: Whether that is expected from now on.
    private mutating func learn(_ surprises: [RowObject.Asked]) -> Bool {
        guard credit >= 4 else { return false }
        expected = surprises
        credit -= 4
        return true
    }
}

/// Decodes single values.
final class ValueDecoder: Sendable {
    /// Decodes what is not plain.
    let foundation: JSONDecoder
    /// How many times a second dates count; nil where they are text.
    let dateScale: Double?
    private let doubts = Atomic(false)

    /// Whether the element may not be what Foundation would make of it.
    var isInDoubt: Bool { doubts.load(ordering: .relaxed) }

    init(_ foundation: JSONDecoder, dateScale: Double?) {
        (self.foundation, self.dateScale) = (foundation, dateScale)
    }

    /// There is no doubt about the next element so far.
    func beginElement() { doubts.store(false, ordering: .relaxed) }

    /// Notes that the element has to be decoded again.
    func doubt() -> NotPlain {
        doubts.store(true, ordering: .relaxed)
        return NotPlain()
    }

    /// A value as Foundation decodes it.
    func unusual<Value: Decodable>(
        _ type: Value.Type,
        _ json: [UInt8],
        _ range: Range<Int>
    ) throws -> Value {
        try foundation.decode(type, from: Data(json[range]))
    }
}

/// What was asked for is not there, or not plain; nobody is told of it.
struct NotPlain: Error {}

/// The keys that lead to a value.
final class RowPath {
    private let parent: RowPath?
    private let key: any CodingKey

    init(_ key: any CodingKey, in parent: RowPath?) { (self.key, self.parent) = (key, parent) }

    /// The keys from the outside in.
    var keys: [any CodingKey] { (parent?.keys ?? []) + [key] }
}

/// The position of an element in an array, as a key.
struct ElementKey: CodingKey {
    let intValue: Int?
    var stringValue: String { "Index \(intValue ?? 0)" }

    init(_ index: Int) { intValue = index }
    init?(intValue: Int) { self.intValue = intValue }
    init?(stringValue: String) { nil }
}

/// Decodes from a value of any kind.
struct RowValue: Decoder {
    let json: [UInt8]
    /// Where the value lies, without white space around it.
    let range: Range<Int>
    let path: RowPath?
    let decoder: ValueDecoder

    var codingPath: [any CodingKey] { path?.keys ?? [] }
    var userInfo: [CodingUserInfoKey: Any] { decoder.foundation.userInfo }

    init(json: [UInt8], range: Range<Int>, path: RowPath?, _ decoder: ValueDecoder) {
        (self.json, self.range, self.path, self.decoder) = (json, range, path, decoder)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard !range.isEmpty, json[range.lowerBound] == UInt8(ascii: "{") else { throw NotPlain() }
        var shape = JSONShape()
        var batch = RowObject.Batch(json: json)
        do throws(JSONSyntaxError) { try shape.learn(json.span, from: range.lowerBound, &batch.places) } catch
        {
            throw decoder.doubt()
        }
        return RowObject(batch, shape, path: path, decoder).container(keyedBy: type)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try RowUnkeyedContainer(self) }

    func singleValueContainer() -> any SingleValueDecodingContainer { RowValueContainer(self) }
}
