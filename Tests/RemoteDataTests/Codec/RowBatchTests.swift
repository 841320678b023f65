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

extension RowDecoder {
    /// What rows decode to together; nil for those that Foundation has to decode.
    mutating func elements<Element: Decodable>(
        of type: Element.Type,
        _ rows: [String]
    ) -> [Element?] {
        let texts = rows.map { Array($0.utf8) }
        var (elements, unsure) = ([Element](), Set<Int>())
        decode(0..<texts.count, json: { texts[$0][...] }, into: &elements) { number, elements in
            #expect(number == elements.count + unsure.count)
            unsure.insert(number)
        }
        #expect(elements.count + unsure.count == rows.count)
        var next = elements.makeIterator()
        return rows.indices.map { unsure.contains($0) ? nil : next.next() }
    }
}
