import RemoteDataTesting
import Testing

@testable import RemoteData

@Suite struct ModelListTests {
    @Test func aNewListIsEmpty() {
        let list = ModelList<Int>()
        #expect(list.isEmpty)
        #expect(list.first == nil)
        #expect(Array(list).isEmpty)
    }

    @Test(arguments: [0, 1, 255, 256, 257, 511, 512, 513, 5_000])
    func aListHasWhatItWasMadeOf(count: Int) {
        let list = ModelList(0..<count)
        #expect(list.count == count)
        #expect(list.endIndex == count)
        #expect(Array(list) == Array(0..<count))
        for index in stride(from: 0, to: count, by: 37) { #expect(list[index] == index) }
        #expect(list.last == (count == 0 ? nil : count - 1))
    }

    @Test func anyOperationsAreThoseOfAnArray() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 150)) {
            Operations.fault(seed: UInt64($0))
        }
        #expect(faults.isEmpty, "\(faults)")
    }

    @Test func whatIsDoneToACopyDoesNotShow() {
        let list = ModelList(0..<1_000)
        var copy = list
        copy.replace(at: 300, with: -1)
        copy.insert(contentsOf: [-2, -3], at: 600)
        copy.remove(at: 0)
        #expect(Array(list) == Array(0..<1_000))
        #expect(copy.count == 1_001)
    }

    @Test func listsAreEqualIfTheirModelsAre() {
        var list = ModelList(0..<600)
        #expect(list == ModelList(0..<600))
        #expect(list != ModelList(0..<599))
        list.remove(at: 599)
        list.insert(contentsOf: [599], at: 599)
        list.insert(contentsOf: [-1], at: 3)
        list.remove(at: 3)
        #expect(list == ModelList(0..<600))
        list.replace(at: 599, with: 0)
        #expect(list != ModelList(0..<600))
    }

    @Test func aSliceHasTheIndicesOfTheList() {
        let slice = ModelList(0..<700)[250..<530]
        #expect(slice.startIndex == 250)
        #expect(slice[511] == 511)
        #expect(Array(slice) == Array(250..<530))
        #expect(Array(slice.reversed().prefix(2)) == [529, 528])
    }

    @Test func indicesAreThoseOfAnArray() {
        let list: ModelList = [5, 6, 7]
        #expect(list.index(after: 0) == 1)
        #expect(list.index(0, offsetBy: 3) == list.endIndex)
        #expect(list.distance(from: 1, to: 3) == 2)
        #expect(list.firstIndex(of: 7) == 2)
    }

    @Test func itIsDescribedAsAnArray() {
        #expect(ModelList([1, 2]).description == "[1, 2]")
        #expect(ModelList<Int>().description == "[]")
    }

    @Test func anIndexThatIsNotThereStopsTheProgram() async {
        await #expect(processExitsWith: .failure) { _ = ModelList([1, 2])[2] }
        await #expect(processExitsWith: .failure) { _ = ModelList([1, 2])[-1] }
    }
}

/// Operations on a list and on an array.
private enum Operations {
    static func fault(seed: UInt64) -> String? {
        var random = SeededGenerator(seed: seed)
        var array = Array(0..<random.pick([0, 1, 3, 255, 256, 257, 800]))
        var list = ModelList(array)
        let removes = random.chance(2)
        for step in 0..<random.number(1..<40) {
            let copy = list
            let before = array
            change(&list, &array, removes: removes, step, &random)
            guard list.count == array.count, Array(list) == array else { return "differs at \(step)" }
            if random.chance(10), Array(copy) != before { return "a copy changed at \(step)" }
            if let index = array.indices.randomElement(using: &random), list[index] != array[index] {
                return "differs at \(step) in \(index)"
            }
        }
        return nil
    }

    private static func change(
        _ list: inout ModelList<Int>,
        _ array: inout [Int],
        removes: Bool,
        _ step: Int,
        _ random: inout SeededGenerator
    ) {
        switch random.number(0..<4) {
        case 0 where !array.isEmpty:
            let index = random.number(0..<array.count)
            list.replace(at: index, with: -step)
            array[index] = -step
        case 1 where !array.isEmpty, 2 where removes && !array.isEmpty:
            let start = random.number(0..<array.count)
            for _ in 0..<min(random.pick([1, 1, 40, 300]), array.count - start) {
                array.remove(at: start)
                list.remove(at: start)
            }
        default:
            let new = (0..<random.pick([0, 1, 1, 5, 300, 700])).map { 10_000 * step + $0 }
            let index = random.pick([0, array.count, random.number(0..<array.count + 1)])
            list.insert(contentsOf: new, at: index)
            array.insert(contentsOf: new, at: index)
        }
    }
}
