extension Where.LikePattern {
    /// Whether the pattern fits the whole text.
    ///
    /// Scalars compare exactly, or by their lowercase mapping with `ignoresCase`; nothing is normalized, so
    /// composed and decomposed letters differ. A pattern that ends in a bare escape character fits nothing,
    /// as in SQLite.
    /// - Complexity: O(text + pattern), except that a stretch between two `%` that holds a `_` takes
    ///   O(text × stretch) at worst. Use a `LikeMatcher` to read the pattern only once.
    public func matches(_ text: String) -> Bool { LikeMatcher(self).matches(text) }
}

/// A LIKE pattern made ready to be tried on many texts.
///
/// The pattern is cut at each `%`. The first stretch must begin the text, the last must end it, and each one
/// between is looked for from left to right: taking the earliest place each time never loses a match, so
/// nothing is tried again.
package struct LikeMatcher: Sendable {
    private let stretches: [LikeStretch]
    private let ignoresCase: Bool
    /// Whether the pattern ends in a bare escape character.
    let isBroken: Bool

    /// Reads a pattern; O(pattern).
    package init(_ pattern: Where.LikePattern) {
        var stretches: [[UInt32]] = [[]]
        var isEscaped = false
        for scalar in pattern.text.unicodeScalars {
            if !isEscaped, scalar == pattern.escape {
                isEscaped = true
            } else if !isEscaped, scalar == "%" {
                stretches.append([])
            } else {
                let isWildcard = !isEscaped && scalar == "_"
                let value = pattern.ignoresCase ? CaseFolding.lowercased(scalar.value) : scalar.value
                stretches[stretches.count - 1].append(isWildcard ? LikeStretch.anyScalar : value)
                isEscaped = false
            }
        }
        isBroken = isEscaped
        ignoresCase = pattern.ignoresCase
        self.stretches = stretches.map { LikeStretch($0) }
    }

    /// Whether the pattern fits the whole text.
    package func matches(_ text: String) -> Bool { matches(text.utf8Array.span) }

    /// Whether the pattern fits the whole text, given as valid UTF-8.
    package func matches(_ text: borrowing Span<UInt8>) -> Bool {
        guard !isBroken, let first = stretches.first, let last = stretches.last else { return false }
        var start = 0
        guard first.matches(text, at: &start, ignoresCase) else { return false }
        guard stretches.count > 1 else { return start == text.count }
        for stretch in stretches.dropFirst().dropLast() {
            guard let end = stretch.end(in: text, from: start, ignoresCase) else { return false }
            start = end
        }
        // The last stretch ends the text and must not reach back into what the others took.
        guard var tail = UTF8Walk.index(of: text, last.count, beforeEndAfter: start) else { return false }
        return last.matches(text, at: &tail, ignoresCase)
    }
}

/// A part of a LIKE pattern without `%`.
struct LikeStretch: Sendable {
    /// Stands for `_`; no scalar has this value.
    static let anyScalar = UInt32.max

    /// After how many scalars they are taken from the budget of work.
    private static let stride = 1 << 14

    private let scalars: [UInt32]
    /// For each beginning, the length of the longest shorter one that it ends with (Knuth, Morris, Pratt);
    /// nil when a `_` makes that meaningless.
    private let borders: [Int]?

    var count: Int { scalars.count }

    init(_ scalars: [UInt32]) {
        self.scalars = scalars
        borders = scalars.contains(Self.anyScalar) ? nil : Self.borders(scalars)
    }

    private static func borders(_ scalars: [UInt32]) -> [Int] {
        var borders = [Int](repeating: 0, count: scalars.count)
        var length = 0
        for index in scalars.indices.dropFirst() {
            while length > 0, scalars[index] != scalars[length] { length = borders[length - 1] }
            if scalars[index] == scalars[length] { length += 1 }
            borders[index] = length
        }
        return borders
    }

    /// Whether the text goes on with this stretch; the position is then behind it.
    func matches(_ text: borrowing Span<UInt8>, at position: inout Int, _ ignoresCase: Bool) -> Bool {
        for expected in scalars {
            guard position < text.count else { return false }
            let scalar = UTF8Walk.scalar(text, &position, ignoresCase)
            guard expected == scalar || expected == Self.anyScalar else { return false }
        }
        return true
    }

    /// Where the first occurrence ends.
    func end(in text: borrowing Span<UInt8>, from start: Int, _ ignoresCase: Bool) -> Int? {
        guard let borders else { return slowEnd(in: text, from: start, ignoresCase) }
        var position = start
        var matched = 0
        while matched < scalars.count {
            guard position < text.count else { return nil }
            let scalar = UTF8Walk.scalar(text, &position, ignoresCase)
            while matched > 0, scalars[matched] != scalar { matched = borders[matched - 1] }
            if scalars[matched] == scalar { matched += 1 }
        }
        return position
    }

    private func slowEnd(in text: borrowing Span<UInt8>, from start: Int, _ ignoresCase: Bool) -> Int? {
        var start = start
        let budget = WorkBudget.current
        var steps = 0
        defer { _ = budget?.take(steps) }
        while true {
            var position = start
            if matches(text, at: &position, ignoresCase) { return position }
            guard start < text.count else { return nil }
            steps += position - start
            if steps >= Self.stride {
                guard budget?.take(steps) ?? true else { return nil }
                steps = 0
            }
            UTF8Walk.advance(text, &start)
        }
    }
}
