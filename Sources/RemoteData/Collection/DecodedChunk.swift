import Dispatch

/// What the rows of a chunk decode to.
final class DecodedChunk<Element: Sendable>: Sendable {
    /// The rows that decoded, in order.
    let elements: [Element]
    /// Why the others did not, by their offset in the chunk.
    let failures: [Int: RemoteDataError]

    init(elements: [Element], failures: [Int: RemoteDataError]) {
        self.elements = elements
        self.failures = failures
    }

    deinit {
        // Not here: whoever lets the last one go may hold a lock, and the end of an element may call the collection.
        let elements = elements
        DispatchQueue.global().async { withExtendedLifetime(elements) {} }
    }

    /// The element of the row at an offset.
    func element(at offset: Int) throws(RemoteDataError) -> Element {
        if failures.isEmpty { return elements[offset] }
        if let failure = failures[offset] { throw failure }
        return elements[offset - failures.keys.count { $0 < offset }]
    }

    /// The elements of the rows from an offset on.
    func elements(from offset: Int) -> ArraySlice<Element> {
        elements[(offset - failures.keys.count { $0 < offset })...]
    }
}
