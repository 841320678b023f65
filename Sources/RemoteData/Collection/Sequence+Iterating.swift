extension Sequence {
    /// The elements as an array, by nothing but one iteration.
    ///
    /// The standard library's ways trust `count` and subscripts, which others may change meanwhile.
    func collectedByIterating() -> ContiguousArray<Element> {
        var result = ContiguousArray<Element>()
        for element in self { result.append(element) }
        return result
    }

    /// What a function makes of each element, by nothing but one iteration.
    func mappedByIterating<Result, Failure>(
        _ transform: (Element) throws(Failure) -> Result
    ) throws(Failure) -> [Result] {
        var result: [Result] = []
        var iterator = makeIterator()
        while let element = iterator.next() { result.append(try transform(element)) }
        return result
    }
}
