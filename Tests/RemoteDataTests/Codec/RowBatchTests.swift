import Foundation
import RemoteDataTesting
import Testing

@testable import RemoteData

/// Rows that are decoded together.
@Suite(.timeLimit(.minutes(5))) struct RowBatchTests {
    /// One that asks for one thing or another is decoded as if it were alone, whatever others asked for.
    @Test func rowsTogetherAreDecodedAsEachByItself() throws {
        enum Key: String, CodingKey { case a, b, c, d, e }
        struct Moody: Decodable, Equatable {
            var words: [String] = []

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                let count = try container.decode(Int.self, forKey: .b)
                for key in [Key.a, .c, .d, .e].prefix(count) {
                    words.append(try container.decode(String.self, forKey: key))
                }
            }
        }
        let foundation = JSONDecoder()
        var decoder = RowDecoder(foundation, dateScale: 1_000)
        var random = SeededGenerator(seed: 21)
        for _ in 0..<Campaign.size(quick: 50) {
            let rows = (0..<100).map { number in
                #"{"a":"a\#(number)","b":\#(random.number(0..<5)),"c":"c\#(number)","d":"d\#(number)","e":"e\#(number)"}"#
            }
            let expected = try rows.map { try foundation.decode(Moody.self, from: Data($0.utf8)) }
            #expect(decoder.elements(of: Moody.self, rows) == expected)
        }
    }

    @Test func theIDMayHaveAnotherNameThanTheColumn() throws {
        struct Named: Codable, Equatable {
            var id: String
            var key: String?
            var name: String?
        }
        var decoder = RowDecoder(JSONDecoder(), dateScale: 1_000, idColumn: "key")
        #expect(decoder.idColumn == "key")
        let both = #"{"key":"3","id":"4"}"#
        let rows = [
            #"{"name":"x","key":"1"}"#, #"{"name":"y","key":"2"}"#, both, both, #"{"id":"5"}"#,
        ]
        let named = decoder.elements(of: Named.self, rows)
        // Where both names are there, or not the column's, Foundation decides.
        #expect(named == [Named(id: "1", name: "x"), Named(id: "2", name: "y"), nil, nil, nil])
        #expect(
            decoder.decode([String: String].self, from: Array(rows[0].utf8)[...]) == ["name": "x", "id": "1"]
        )
    }

    @Test func largeRowsAreDecodedFewAtATime() throws {
        let rows = (0..<100).map { number in
            let text = String(repeating: "x", count: number % 3 == 0 ? 300_000 : 10)
            return #"{"number":"\#(number)","text":"\#(text)"}"#
        }
        var decoder = RowDecoder(JSONDecoder(), dateScale: 1_000)
        let elements = decoder.elements(of: [String: String].self, rows)
        #expect(elements.map { $0?["number"] } == (0..<100).map { "\($0)" })
        #expect(elements.map { $0?["text"]?.count } == (0..<100).map { $0 % 3 == 0 ? 300_000 : 10 })
    }

    /// Rows of pages, of pages mixed, and with bytes of their own, copied together or not.
    @Test func rowsAreCopiedAsTheyAre() {
        let texts = (0..<300).map { number in
            Array(#"{"id":\#(number),"text":"\#(String(repeating: "x", count: number))"}"#.utf8)[...]
        }
        let near = Self.page(texts, separator: ", ")
        let far = Self.page(texts, separator: String(repeating: " ", count: 100))
        let apart = zip(0..., texts).map { Row(id: .integer($0), json: $1) }
        var random = SeededGenerator(seed: 28)
        let mixed = texts.indices.map { [near, far, apart][random.number(0..<3)][$0] }
        let backwards = Array(near.reversed())
        // Another page, in which rows lie at the same places.
        let other = Self.page(
            texts.map { $0.map { $0 == UInt8(ascii: "x") ? 0x79 : $0 }[...] },
            separator: ", "
        )
        let inTurn = texts.indices.map { ($0 % 2 == 0 ? near : other)[$0] }
        for rows in [near, far, apart, mixed, backwards, inTurn] {
            for size in [20, 1_000, 1 << 20] {
                for range in [0..<300, 17..<18, 100..<170, 5..<5] {
                    var (json, places): ([UInt8], [Range<Int>]) = (Array("in front".utf8), [])
                    Row.copy(rows, range, until: size, into: &json, &places)
                    let copied = rows[range].prefix(places.count)
                    #expect(places.map { json[$0] } == copied.map(\.json))
                    // As many as it takes, and the last one goes beyond.
                    let isWhole = copied.count == range.count
                    #expect(isWhole || json.count >= size)
                    if let last = places.last { #expect(last.lowerBound < size + 16) }
                }
            }
        }
        var (json, places): ([UInt8], [Range<Int>]) = ([], [])
        Row.copy(near, 0..<300, until: 1 << 20, into: &json, &places)
        #expect(json.count == texts.map(\.count).reduce(0, +) + 299 * 2)
        (json, places) = ([], [])
        Row.copy(far, 0..<300, until: 1 << 20, into: &json, &places)
        #expect(json.count == texts.map(\.count).reduce(0, +))
    }

    /// Rows that follow others which have other members, or none that are plain, are not copied over and over.
    @Test(arguments: ["ab", "abb", "abbb", "an", "aan", "n", "aaaaaaab", "abc", "bnaab"])
    func rowsUnlikeEachOtherAreCopiedFewAtATime(kinds: String) {
        let objects: [Character: String] = [
            "a": #"{"a":"x"}"#, "b": #"{"b":"x"}"#, "c": #"{"c":"x"}"#, "n": #"{"\u00e9":"x"}"#,
        ]
        let texts = (0..<1_000).map { number in
            let kind = kinds[kinds.index(kinds.startIndex, offsetBy: number % kinds.count)]
            return Array((objects[kind] ?? "").utf8)[...]
        }
        var decoder = RowDecoder(JSONDecoder(), dateScale: 1_000)
        var (elements, unsure, copied) = ([[String: String]](), 0, 0)
        func copy(_ range: Range<Int>, _ batch: inout RowObject.Batch) {
            copied += range.count
            for row in range { batch.append(texts[row]) }
        }
        decoder.decode(0..<texts.count, copy: copy, into: &elements) { _, _ in unsure += 1 }
        #expect(elements.count + unsure == texts.count)
        #expect(copied <= 3 * texts.count + 64)
    }

    /// Not with the one behind it.
    @Test func whatIsNoObjectIsNotDecoded() {
        for nothing in ["", " ", "1", "{", #"{"a":"#] {
            var decoder = RowDecoder(JSONDecoder(), dateScale: 1_000)
            let rows = [#"{"a":"1"}"#, #"{"a":"2"} "#, nothing, #"{"a":"3"}"#, nothing, #" {"a":"4"}"#]
            let elements = decoder.apart(of: [String: String].self, rows)
            #expect(elements == [["a": "1"], ["a": "2"], nil, ["a": "3"], nil, ["a": "4"]], "\(nothing)")
        }
    }

    @Test func anElementMayDecodeAsAnotherDoes() throws {
        struct Inner: Codable, Equatable {
            var id: String?
            var count: Int?
        }
        struct Whole: Decodable, Equatable {
            let inner: Inner

            init(from decoder: any Decoder) throws {
                inner = try decoder.singleValueContainer().decode(Inner.self)
            }
        }
        let rows = (0..<5).map { #"{"id":"\#($0)","count":\#($0)}"# }
        var decoder = RowDecoder(JSONDecoder(), dateScale: 1_000)
        let inner = decoder.elements(of: Whole.self, rows).map { $0?.inner }
        #expect(inner == (0..<5).map { Inner(id: "\($0)", count: $0) })
        // The text calls the id otherwise.
        decoder = RowDecoder(JSONDecoder(), dateScale: 1_000, idColumn: "key")
        let renamed = decoder.elements(
            of: Whole.self,
            [#"{"key":"1","count":1}"#, #"{"key":"2","count":2}"#]
        )
        #expect(renamed == [nil, nil])
    }
}

extension RowBatchTests {
    /// Rows that lie in the same bytes.
    static func page(_ texts: [ArraySlice<UInt8>], separator: String) -> [Row] {
        let bytes = Array(texts.joined(separator: Array(separator.utf8)[...]))
        var start = 0
        return texts.enumerated()
            .map { number, text in
                defer { start += text.count + separator.utf8.count }
                return Row(
                    id: .integer(Int64(number)),
                    revision: nil,
                    in: bytes,
                    start..<(start + text.count)
                )
            }
    }
}

extension RowDecoder {
    /// What rows decode to together, as texts and as rows of a page; nil for those that Foundation has to decode.
    mutating func elements<Element: Decodable & Equatable>(
        of type: Element.Type,
        _ rows: [String]
    ) -> [Element?] {
        let apart = apart(of: type, rows)
        let texts = rows.map { Array($0.utf8)[...] }
        for separator in [",", " , ", ",\n" + String(repeating: " ", count: 20)] {
            let page = RowBatchTests.page(texts, separator: separator)
            let together = elements(of: type, rows.count) { range, batch in batch.append(page, range) }
            #expect(together == apart)
        }
        return apart
    }

    /// What texts decode to together; nil for those that Foundation has to decode.
    mutating func apart<Element: Decodable>(of type: Element.Type, _ rows: [String]) -> [Element?] {
        let texts = rows.map { Array($0.utf8)[...] }
        return elements(of: type, rows.count) { range, batch in
            for row in range where !batch.isFull { batch.append(texts[row]) }
        }
    }

    private mutating func elements<Element: Decodable>(
        of type: Element.Type,
        _ count: Int,
        copy: (Range<Int>, inout RowObject.Batch) -> Void
    ) -> [Element?] {
        var (elements, unsure) = ([Element](), Set<Int>())
        decode(0..<count, copy: copy, into: &elements) { number, elements in
            #expect(number == elements.count + unsure.count)
            unsure.insert(number)
        }
        #expect(elements.count + unsure.count == count)
        var next = elements.makeIterator()
        return (0..<count).map { unsure.contains($0) ? nil : next.next() }
    }
}
