extension Array<Range<Int>> {
    /// The same positions in as few ranges as can be; these ascend.
    var joined: [Range<Int>] { reduce(into: []) { $0.append(joining: $1) } }

    /// Adds a position behind all others.
    mutating func append(position: Int) { append(joining: position..<(position + 1)) }

    /// Adds a range behind all others, joined with the last where they touch.
    mutating func append(joining range: Range<Int>) {
        guard !range.isEmpty else { return }
        if let last, last.upperBound == range.lowerBound {
            self[count - 1] = last.lowerBound..<range.upperBound
        } else {
            append(range)
        }
    }
}

extension Range<Int> {
    /// The parts of the range that lie in none of some others, which ascend and may overlap.
    func without(_ others: [Range<Int>]) -> [Range<Int>] {
        var parts: [Range<Int>] = []
        var lower = lowerBound
        for other in others {
            parts.append(joining: lower..<Swift.max(lower, Swift.min(other.lowerBound, upperBound)))
            lower = Swift.max(lower, other.upperBound)
            if lower >= upperBound { return parts }
        }
        parts.append(joining: lower..<upperBound)
        return parts
    }
}
