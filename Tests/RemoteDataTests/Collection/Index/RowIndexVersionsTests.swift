import Testing

@testable import RemoteData

/// Which versions of rows an index remembers.
struct RowIndexVersionsTests {
    private func row(_ number: Int, _ version: Int = 0) -> Row {
        Row(
            id: .text(String(1_000 + number)),
            json: Array(#"{"objectId":"\#(1_000 + number)","v":\#(version)}"#.utf8)[...]
        )
    }

    private func makeIndex(_ count: Int) -> RowIndex {
        var index = RowIndex()
        index.insert((0..<count).map { row($0) }, at: 0)
        return index
    }

    private func versions(_ index: RowIndex, _ number: Int) -> [Value] {
        past(index, number, -1).versions.map { $0["v"] }
    }

    private func past(_ index: RowIndex, _ number: Int, _ version: Int) -> RowPast {
        let row = row(number, version)
        return index.former.past(of: row, under: [row.idMark])
    }

    private func read(_ index: inout RowIndex, _ number: Int) {
        if let spot = index.spot(of: row(number).id) { _ = index.part(spot.node) }
    }

    @Test("A version that was not read is not remembered, unless all are")
    func unreadVersions() {
        var index = makeIndex(100)
        index.replace(row(3, 1), at: 3)
        #expect(versions(index, 3) == [])
        index.keepsAllVersions = true
        index.replace(row(3, 2), at: 3)
        #expect(versions(index, 3) == [1])
    }

    @Test("A version that was read is remembered once")
    func readVersions() {
        var index = makeIndex(100)
        read(&index, 3)
        for version in 1...3 { index.replace(row(3, version), at: 3) }
        #expect(versions(index, 3) == [0])
        read(&index, 3)
        index.replace(row(3, 4), at: 3)
        #expect(versions(index, 3) == [3, 0])
    }

    @Test("What was read stays read while rows come, go and move")
    func chunksThatChange() {
        var index = makeIndex(200)
        for number in 0..<200 { read(&index, number) }
        // A new row is not read, and comes into a slot that had one that was.
        index.remove(at: 10)
        index.insert([row(10, 1)], at: 10)
        _ = index.nodeEnding(at: 30)
        for number in stride(from: 198, to: 100, by: -2) { index.remove(at: number) }
        for number in 0..<100 where number != 10 {
            guard let position = index.position(of: row(number).id) else { continue }
            index.replace(row(number, 2), at: position)
            #expect(versions(index, number) == [0], "\(number)")
        }
        guard let position = index.position(of: row(10).id) else { return }
        index.replace(row(10, 2), at: position)
        #expect(versions(index, 10) == [0])
    }

    @Test("Rows that leave are remembered if they were read")
    func leavingRows() {
        var index = makeIndex(300)
        read(&index, 0)
        read(&index, 299)
        index.removeLoaded { "\($0.id)" < "1010" }
        index.remove(100..<index.count)
        #expect(versions(index, 0) == [0] && versions(index, 299) == [0] && versions(index, 150) == [])
        index.forget(0..<20)
        let other = RowIndex(count: 5, replacing: index)
        #expect(versions(other, 20) == [0] && versions(other, 40) == [0])
        #expect(versions(other, 0) == [0] && versions(other, 299) == [0])
    }

    @Test("Of a version that is dropped, it stays known which columns are others")
    func droppedVersions() {
        var index = makeIndex(5_000)
        for number in 0..<5_000 { read(&index, number) }
        index.replace(row(0, 1), at: 0)
        // The same as before.
        index.replace(row(1, 1), at: 1)
        index.replace(row(1, 0), at: 1)
        index.remove(at: 4_999)
        for number in 2..<4_990 { index.replace(row(number, 1), at: number) }
        #expect(past(index, 0, 1).versions.isEmpty && past(index, 0, 1).mayHaveChanged("v"))
        #expect(past(index, 4_999, 1).mayHaveChanged("v") && !past(index, 4_999, 0).mayHaveChanged("v"))
        #expect(!past(index, 1, 0).mayHaveChanged("v") && past(index, 1, 2).mayHaveChanged("v"))
        #expect(!past(index, 4_995, 1).mayHaveChanged("v"))
    }

    @Test("A row that comes back to an index is not read")
    func rowsThatComeBack() {
        var index = makeIndex(10)
        read(&index, 0)
        #expect(index.isRead(0))
        index.replace(row(3, 1), at: 3)
        #expect(!index.isRead(3) && index.isRead(4))
        index.remove(at: 4)
        index.insert([row(4, 0)], at: 4)
        #expect(!index.isRead(4) && index.isRead(5))
        // The same version is still read.
        index.replace(row(5), at: 5)
        #expect(index.isRead(5))
    }
}

extension RowIndex {
    fileprivate func isRead(_ position: Int) -> Bool {
        chunk(at: position).map { chunks[$0.node].isRead($0.offset) } ?? false
    }
}
