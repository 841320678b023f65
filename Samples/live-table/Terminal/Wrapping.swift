extension String {
    /// The text on lines of so many places, broken between words where that is possible.
    ///
    /// Line breaks of the text are kept; the lines are ``printable``.
    func wrapped(to width: Int) -> [String] {
        split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .flatMap { String($0).printable.brokenLine(to: max(1, width)) }
    }

    private func brokenLine(to width: Int) -> [String] {
        guard displayWidth > width else { return [self] }
        var lines: [String] = []
        var line = ""
        var taken = 0
        for character in self {
            let next = character.displayWidth
            if taken + next > width, !line.isEmpty {
                var rest = ""
                if character != " ", let space = line.lastIndex(of: " "), space > line.startIndex {
                    rest = String(line[line.index(after: space)...])
                    line = String(line[..<space])
                }
                lines.append(line)
                (line, taken) = (rest, rest.displayWidth)
                if character == " " { continue }
            }
            line.append(character)
            taken += next
        }
        return lines + [line]
    }
}
