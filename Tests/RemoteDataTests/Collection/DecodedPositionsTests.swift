import Foundation
import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite struct DecodedPositionsTests {
    /// Elements are the ids of the rows; those of a chunk with the id 13 do not decode.
    private static func decode(_ index: inout RowIndex, _ node: Int) -> DecodedChunk<Int64>? {
        let ids = index.chunks[node].rows.map(\.number)
        guard !ids.isEmpty else { return nil }
        let failures = ids.firstIndex(of: 13).map { [$0: RemoteDataError(.invalidRow, "unlucky")] } ?? [:]
        let chunk = DecodedChunk(elements: ids.filter { $0 != 13 }, failures: failures)
        index.setDecoded(chunk, node: node)
        return chunk
    }

    @Test(arguments: 0..<Campaign.size(quick: 40))
    func aDirectoryTellsWhatTheIndexDoes(number: Int) {
        var random = SeededGenerator(seed: UInt64(number))
        let limit = [1, 2, 3, 10, 64].randomElement(using: &random) ?? 1
        var index = RowIndex(chunkLimit: limit)
        var (id, rows) = (Int64(0), [Int64?]())
        for _ in 0..<Int.random(in: 0...30, using: &random) {
            let count = Int.random(in: 1...100, using: &random)
            if Bool.random(using: &random) {
                index.insertGap(count, at: index.count)
                rows += Array(repeating: nil, count: count)
            } else {
                index.insert((0..<count).map { RowIndexModel.row(id + Int64($0)) }, at: index.count)
                rows += (0..<count).map { id + Int64($0) }
                id += Int64(count)
            }
        }
        var node = index.first
        var known = Set<Int>()
        while node >= 0 {
            if Bool.random(using: &random), Self.decode(&index, node)?.failures.isEmpty ?? false {
                known.insert(node)
            }
            node = index.successor(of: node)
        }
        let positions = DecodedPositions<Int64>()
        positions.begin(with: index)
        func check() {
            let isRight = (-2...(rows.count + 70)).allSatisfy { position in
                let isKnown = index.locate(position).map { known.contains($0.node) } ?? false
                return positions.element(at: position) == (isKnown ? rows[position] : nil)
            }
            #expect(isRight)
        }
        check()
        for (position, row) in rows.enumerated()
        where row != nil && Int.random(in: 0..<50, using: &random) == 0 {
            guard let (node, _) = index.locate(position), !known.contains(node),
                let chunk = Self.decode(&index, node), chunk.failures.isEmpty
            else { continue }
            positions.add(chunk, at: position)
            known.insert(node)
        }
        check()
        positions.drop()
        known = []
        check()
    }

    @Test func thePositionThatWasReadLastStaysKnown() {
        var index = RowIndex()
        index.insert((100..<200).map { RowIndexModel.row($0) }, at: 0)
        _ = Self.decode(&index, index.first)
        let positions = DecodedPositions<Int64>()
        #expect(positions.lookedAt == nil)
        positions.noteReading(70)
        positions.begin(with: index)
        #expect(positions.lookedAt == 70)
        #expect(positions.element(at: 20) == 120)
        #expect(positions.lookedAt == 20)
        #expect(positions.element(at: 99) == nil)
        positions.drop()
        #expect(positions.lookedAt == 20)
    }

    @Test func aDirectoryIsNotMuchLargerThanTheIndex() {
        var index = RowIndex(count: 1 << 40)
        #expect(!index.fitsDirectory)
        index = RowIndex(count: 100_000)
        #expect(!index.fitsDirectory)
        index = RowIndex(count: 60_000)
        #expect(index.fitsDirectory)
        index = RowIndex()
        index.insert((0..<100_000).map { RowIndexModel.row($0) }, at: 0)
        #expect(index.fitsDirectory)
    }

    /// Whatever thread applies a change: who has read it reads nothing older afterwards.
    @Test(.timeLimit(.minutes(1))) func whatIsReadByPositionNeverGoesBack() async throws {
        let table = try await makePeople(300)
        let people = try await RemoteDataCollection<Person>(table: table)
        try await people.populate()
        let last = 200
        let ages = Task {
            try await onThread {
                var ages = [0]
                while let age = ages.last, age < last {
                    let next = people[0].age ?? 0
                    if next != age { ages.append(next) }
                }
                return ages
            }
        }
        for age in 1...last { try await table.updateByOthers("p00000", #"{"age":\#(age)}"#) }
        let read = try await ages.value
        #expect(read == read.sorted())
        #expect(read.last == last)
    }

    /// After each change to a row, or to where rows lie, and each read by position.
    @Test func rowsThatAreReadByPositionAreThoseOfNow() async throws {
        let people = try await RemoteDataCollection<Person>(table: makePeople(300))
        try await people.populate()
        let read = { people.indices.map { people[$0] } }
        var expected = read()
        #expect(expected.map(\.id) == (0..<300).map { String(format: "p%05d", $0) })
        for id in ["p00000", "p00100", "p00299"] {
            let person = Person(id: id, name: "new")
            _ = try await people.update(person)
            if let place = expected.firstIndex(where: { $0.id == id }) { expected[place] = person }
            #expect(read() == expected)
            #expect(read() == expected)
            #expect(try await people.remove(person))
            expected.removeAll { $0.id == id }
            #expect(read() == expected)
            _ = try await people.add(person)
            expected.insert(person, at: expected.firstIndex { $0.id ?? "" > id } ?? expected.count)
            #expect(read() == expected)
        }
        let inserted = Person(id: "a", name: "held")
        _ = try await people.insert(inserted, at: 150)
        expected.insert(inserted, at: 150)
        #expect(read() == expected)
        #expect(read() == expected)
    }
}
