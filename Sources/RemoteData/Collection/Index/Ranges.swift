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
