import RemoteDataTesting
import Testing

@testable import RemoteData

struct SortPlaceTests {
    @Test func betweenTwoPlacesThereIsAlwaysAnother() {
        var generator = SeededGenerator(seed: 7)
        var places: [SortPlace] = []
        for _ in 0..<3_000 {
            let position = generator.number(0..<(places.count + 1))
            let place = SortPlace(
                between: position > 0 ? places[position - 1] : nil,
                and: position < places.count ? places[position] : nil
            )
            places.insert(place, at: position)
        }
        #expect(zip(places, places.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test(arguments: [0, 1, 2, 7, 100]) func manyPlacesAreInOrder(count: Int) {
        let first = SortPlace(between: nil, and: nil)
        let last = SortPlace(between: first, and: nil)
        let bounds: [(SortPlace?, SortPlace?)] = [(nil, nil), (first, nil), (nil, first), (first, last)]
        for (lower, upper) in bounds {
            let places = SortPlace.places(count, between: lower, and: upper)
            let all = [lower].compactMap(\.self) + places + [upper].compactMap(\.self)
            #expect(places.count == count)
            #expect(zip(all, all.dropFirst()).allSatisfy { $0 < $1 })
        }
    }

    @Test func placesOneBehindTheOtherStayShort() {
        var (last, first) = (SortPlace(between: nil, and: nil), SortPlace(between: nil, and: nil))
        for _ in 0..<100_000 {
            last = SortPlace(between: last, and: nil)
            first = SortPlace(between: nil, and: first)
        }
        #expect(last.digitCount == 1 && first.digitCount == 1)
    }

    @Test func placesInTheSameSpotGrowSlowly() {
        let first = SortPlace(between: nil, and: nil)
        var place = SortPlace(between: first, and: nil)
        for _ in 0..<1_000 { place = SortPlace(between: first, and: place) }
        #expect(place.digitCount < 40)
    }
}
