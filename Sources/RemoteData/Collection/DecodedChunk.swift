import Synchronization

/// That the rows of a chunk have been decoded, whatever to: a ``DecodedChunk``.
///
/// SAFETY: what can change is the subclass's, which says when.
class DecodedRows: @unchecked Sendable {
    /// Why rows did not decode, by their offset in the chunk.
    let failures: [Int: RemoteDataError]

    fileprivate init(failures: [Int: RemoteDataError]) { self.failures = failures }
}

/// What the rows of a chunk decode to.
///
/// SAFETY: the elements are taken in `deinit` alone, when nobody else has the object.
final class DecodedChunk<Element: Sendable>: DecodedRows, @unchecked Sendable {
    /// The rows that decoded, in order.
    private(set) var elements: [Element]

    init(elements: [Element], failures: [Int: RemoteDataError]) {
        self.elements = elements
        super.init(failures: failures)
    }

    deinit {
        // Not here: whoever lets the last one go may hold a lock, and the end of an element may call the collection.
        if !elements.isEmpty { Leftovers.shared.add(takeElements()) }
    }

    /// Moves the elements elsewhere, so that what is let go of here is never the last reference to one.
    func takeElements() -> Rest<Element> {
        let rest = Rest(elements)
        elements = []
        return rest
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

/// Elements, or whole indexes, that nobody wants any more.
final class Rest<Element: Sendable>: Leftover {
    private let elements: Mutex<[Element]>

    init(_ elements: [Element]) { self.elements = Mutex(elements) }

    /// Brings them to their end, on this thread.
    func letGo() {
        let elements = elements.withLock { elements in
            defer { elements = [] }
            return elements
        }
        withExtendedLifetime(elements) {}
    }
}
