/// Models in their order, of which a copy costs little however many there are, and a change of one as well.
///
/// A value as an array is: what is done to one copy does not show in another. They are kept in stretches of some hundred; a stretch that
/// copies have in common is copied when one of them changes.
public struct ModelList<Element>: RandomAccessCollection {
    private var chunks: ContiguousArray<ContiguousArray<Element>> = []
    /// Where each stretch begins.
    private var starts: ContiguousArray<Int> = []
    /// How many there are.
    public private(set) var count = 0

    private static var chunkSize: Int { 256 }

    /// No models.
    public init() {}

    /// Models of a sequence.
    ///
    /// - Complexity: O(n).
    public init(_ elements: some Sequence<Element>) {
        self.init(array: elements as? [Element] ?? Array(elements))
    }

    /// Models of an array, copied a stretch at a time.
    init(array elements: [Element]) {
        count = elements.count
        for start in stride(from: 0, to: count, by: Self.chunkSize) {
            chunks.append(ContiguousArray(elements[start..<Swift.min(count, start + Self.chunkSize)]))
            starts.append(start)
        }
    }

    /// 0.
    public var startIndex: Int { 0 }
    /// The number of models.
    public var endIndex: Int { count }

    /// The model at an index, which has to be there.
    ///
    /// - Complexity: O(log n).
    public subscript(index: Int) -> Element {
        let chunk = self.chunk(of: index)
        return chunks[chunk][index - starts[chunk]]
    }

    // MARK: Changing

    /// Puts a model in the place of another one.
    ///
    /// - Complexity: O(log n), and that of copying a stretch where another copy has it as well.
    mutating func replace(at index: Int, with element: Element) {
        let chunk = self.chunk(of: index)
        chunks[chunk][index - starts[chunk]] = element
    }

    /// Puts models in front of an index, or behind all.
    ///
    /// - Complexity: O(n / 256 + models).
    mutating func insert(contentsOf elements: some Collection<Element>, at index: Int) {
        precondition(index >= 0 && index <= count, "The index \(index) is not in a list of \(count).")
        guard !elements.isEmpty else { return }
        guard count > 0 else { return self = ModelList(elements) }
        let chunk = index == count ? chunks.count - 1 : self.chunk(of: index)
        chunks[chunk].insert(contentsOf: elements, at: index - starts[chunk])
        if chunks[chunk].count > 2 * Self.chunkSize {
            let parts = Self.split(chunks[chunk])
            chunks.replaceSubrange(chunk...chunk, with: parts)
        }
        count += elements.count
        renewStarts(from: chunk)
    }

    /// Takes a model out.
    ///
    /// - Complexity: O(n / 256).
    @discardableResult mutating func remove(at index: Int) -> Element {
        let chunk = self.chunk(of: index)
        let element = chunks[chunk].remove(at: index - starts[chunk])
        count -= 1
        if chunks[chunk].isEmpty {
            chunks.remove(at: chunk)
        } else if chunk > 0, chunks[chunk].count + chunks[chunk - 1].count < Self.chunkSize / 2 {
            chunks[chunk - 1] += chunks[chunk]
            chunks.remove(at: chunk)
        }
        renewStarts(from: Swift.max(0, chunk - 1))
        return element
    }

    private static func split(_ chunk: ContiguousArray<Element>) -> [ContiguousArray<Element>] {
        stride(from: 0, to: chunk.count, by: chunkSize).map { start in
            ContiguousArray(chunk[start..<Swift.min(chunk.count, start + chunkSize)])
        }
    }

    private mutating func renewStarts(from chunk: Int) {
        starts.removeLast(starts.count - Swift.min(chunk, starts.count))
        while starts.count < chunks.count {
            starts.append(starts.last.map { $0 + chunks[starts.count - 1].count } ?? 0)
        }
    }

    private func chunk(of index: Int) -> Int {
        precondition(index >= 0 && index < count, "The index \(index) is not in a list of \(count).")
        var (low, high) = (0, chunks.count)
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= index { low = middle } else { high = middle }
        }
        return low
    }
}

extension ModelList: Sendable where Element: Sendable {}

extension ModelList: Equatable where Element: Equatable {
    /// Whether both have equal models in the same order.
    public static func == (left: ModelList, right: ModelList) -> Bool {
        left.count == right.count && left.elementsEqual(right)
    }
}

extension ModelList: ExpressibleByArrayLiteral {
    /// The models of an array.
    public init(arrayLiteral elements: Element...) { self.init(elements) }
}

extension ModelList: CustomStringConvertible {
    /// As an array is described.
    public var description: String { Array(self).description }
}
