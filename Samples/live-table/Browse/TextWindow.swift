/// The part of a long text that is on the screen.
struct TextWindow: Sendable, Equatable {
    /// The first line on the screen.
    private(set) var top = 0

    /// Moves over the text by a key.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - count: How many lines the text has.
    ///   - height: How many lines fit on the screen.
    mutating func handle(_ key: Key, count: Int, height: Int) {
        switch key.movement {
        case .up: top -= 1
        case .down, .enter: top += 1
        case .pageUp: top -= height
        case .pageDown: top += height
        case .home: top = 0
        case .end: top = count
        default: break
        }
        top = visible(of: count, height: height).lowerBound
    }

    /// The lines on the screen, of a text that may be shorter than it was.
    func visible(of count: Int, height: Int) -> Range<Int> {
        let first = min(max(0, top), max(0, count - height))
        return first..<min(count, first + height)
    }
}
