public import Testing

/// Checks that a collection obeys the laws of `Collection` and holds exactly some elements: every index,
/// distance and slice, going forward twice, and backward where it can.
///
/// - Complexity: O(n²) index operations, so a few dozen elements are enough.
public func checkCollection<C: Collection>(
    _ collection: C,
    contains expected: [C.Element],
    sourceLocation: SourceLocation = #_sourceLocation
) where C.Element: Equatable {
    #expect(collection.count == expected.count, "count", sourceLocation: sourceLocation)
    #expect(collection.isEmpty == expected.isEmpty, "isEmpty", sourceLocation: sourceLocation)
    #expect(collection.first == expected.first, "first", sourceLocation: sourceLocation)
    #expect(elements(collection) == expected, "the first pass", sourceLocation: sourceLocation)
    #expect(elements(collection) == expected, "the second pass", sourceLocation: sourceLocation)
    guard collection.count == expected.count else { return }
    var indices: [C.Index] = []
    var index = collection.startIndex
    while index != collection.endIndex, indices.count <= expected.count {
        indices.append(index)
        var next = index
        collection.formIndex(after: &next)
        #expect(next == collection.index(after: index), "formIndex(after:)", sourceLocation: sourceLocation)
        #expect(index < next, "indices grow", sourceLocation: sourceLocation)
        index = next
    }
    #expect(indices.count == expected.count, "steps to endIndex", sourceLocation: sourceLocation)
    #expect(elements(collection.indices) == indices, "indices", sourceLocation: sourceLocation)
    guard indices.count == expected.count else { return }
    #expect(indices.map { collection[$0] } == expected, "subscripts", sourceLocation: sourceLocation)
    checkDistances(collection, indices + [collection.endIndex], sourceLocation)
    checkSlices(collection, indices + [collection.endIndex], expected, sourceLocation)
    checkIterators(collection, expected, sourceLocation)
}

/// Checks a collection that also goes backward.
///
/// - Complexity: O(n²) index operations.
public func checkCollection<C: BidirectionalCollection>(
    bidirectional collection: C,
    contains expected: [C.Element],
    sourceLocation: SourceLocation = #_sourceLocation
) where C.Element: Equatable {
    checkCollection(collection, contains: expected, sourceLocation: sourceLocation)
    #expect(collection.last == expected.last, "last", sourceLocation: sourceLocation)
    #expect(
        elements(collection.reversed()) == expected.reversed(),
        "reversed",
        sourceLocation: sourceLocation
    )
    guard collection.count == expected.count else { return }
    for index in collection.indices {
        let next = collection.index(after: index)
        #expect(collection.index(before: next) == index, "index(before:)", sourceLocation: sourceLocation)
        let distance = collection.distance(from: next, to: index)
        #expect(distance == -1, "distance backward", sourceLocation: sourceLocation)
        #expect(collection.index(next, offsetBy: -1) == index, "offset -1", sourceLocation: sourceLocation)
    }
}

private func checkDistances<C: Collection>(
    _ collection: C,
    _ indices: [C.Index],
    _ sourceLocation: SourceLocation
) {
    for (i, from) in indices.enumerated() {
        for (j, to) in indices.enumerated().dropFirst(i) {
            let distance = collection.distance(from: from, to: to)
            #expect(distance == j - i, "distance from \(i) to \(j)", sourceLocation: sourceLocation)
            let moved = collection.index(from, offsetBy: j - i)
            #expect(moved == to, "index \(i) offset by \(j - i)", sourceLocation: sourceLocation)
            let limited = collection.index(from, offsetBy: j - i, limitedBy: to)
            #expect(limited == to, "index \(i) offset by \(j - i), limited", sourceLocation: sourceLocation)
            guard j > i else { continue }
            let beyond = collection.index(from, offsetBy: j - i, limitedBy: indices[j - 1])
            #expect(beyond == nil, "index \(i) past its limit", sourceLocation: sourceLocation)
        }
    }
}

private func checkSlices<C: Collection>(
    _ collection: C,
    _ indices: [C.Index],
    _ expected: [C.Element],
    _ sourceLocation: SourceLocation
) where C.Element: Equatable {
    for (i, from) in indices.enumerated() {
        #expect(
            elements(collection[from...]) == Array(expected[i...]),
            "from \(i)",
            sourceLocation: sourceLocation
        )
        for (j, to) in indices.enumerated().dropFirst(i) {
            let slice = collection[from..<to]
            #expect(
                elements(slice) == Array(expected[i..<j]),
                "slice \(i)..<\(j)",
                sourceLocation: sourceLocation
            )
            #expect(
                slice.startIndex == from && slice.endIndex == to,
                "its bounds",
                sourceLocation: sourceLocation
            )
        }
    }
}

private func checkIterators<C: Collection>(
    _ collection: C,
    _ expected: [C.Element],
    _ sourceLocation: SourceLocation
) where C.Element: Equatable {
    var (first, second) = (collection.makeIterator(), collection.makeIterator())
    for element in expected {
        #expect(first.next() == element, "an iterator", sourceLocation: sourceLocation)
        #expect(second.next() == element, "an iterator beside it", sourceLocation: sourceLocation)
    }
    #expect(first.next() == nil && first.next() == nil, "an iterator's end", sourceLocation: sourceLocation)
}

/// The elements one after another; `Array.init` would trap on a wrong count.
private func elements<S: Sequence>(_ sequence: S) -> [S.Element] {
    var result: [S.Element] = []
    for element in sequence { result.append(element) }
    return result
}
