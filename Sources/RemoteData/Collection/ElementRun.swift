/// Elements that lie one after another.
@usableFromInline
struct ElementRun<Element> {
    @usableFromInline let elements: [Element]
    @usableFromInline var position: Int
    @usableFromInline let end: Int

    init(_ elements: [Element], _ range: Range<Int>) {
        (self.elements, position, end) = (elements, range.lowerBound, range.upperBound)
    }

    @inlinable
    mutating func next() -> Element? {
        guard position < end else { return nil }
        defer { position += 1 }
        return elements[position]
    }
}

/// Elements that an iteration has taken and not handed out yet.
@usableFromInline
struct ElementRuns<Element> {
    @usableFromInline var current: ElementRun<Element>
    @usableFromInline let runs: [ElementRun<Element>]
    @usableFromInline var position = 0

    init(_ runs: [ElementRun<Element>] = []) {
        self.runs = runs
        current = ElementRun([], 0..<0)
    }

    @inlinable
    mutating func next() -> Element? {
        while true {
            if let element = current.next() { return element }
            guard position < runs.count else { return nil }
            current = runs[position]
            position += 1
        }
    }
}
