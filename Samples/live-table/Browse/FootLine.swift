/// The last line of the screen: parts that drop out, the least important first, until it fits.
struct FootLine {
    /// A part of the line.
    struct Part {
        /// What it says, in the longest form first.
        var forms: [String]
        /// How early the part drops out; the one with the least stays.
        var rank: Int
        /// Whether it stands at the right end.
        var isRight = false
    }

    private static let gap = " · "
    private var parts: [Part] = []

    /// Adds a part after the others of its side.
    mutating func add(_ forms: String..., rank: Int, isRight: Bool = false) {
        parts.append(Part(forms: forms.filter { !$0.isEmpty }, rank: rank, isRight: isRight))
    }

    /// The line for a terminal of so many columns; of the most important part, what fits.
    func text(width: Int) -> String {
        var chosen: [Int: String] = [:]
        for index in parts.indices.sorted(by: { parts[$0].rank < parts[$1].rank }) {
            for form in parts[index].forms where chosen[index] == nil {
                var attempt = chosen
                attempt[index] = form
                if Self.leastWidth(of: sides(attempt)) <= width { chosen = attempt }
            }
        }
        guard !chosen.isEmpty else {
            return parts.min { $0.rank < $1.rank }?.forms.last?.fitted(to: width) ?? ""
        }
        let (left, right) = sides(chosen)
        let space = width - left.displayWidth - right.displayWidth
        let margin = space > 2 ? " " : ""
        return margin + left + String(repeating: " ", count: space - 2 * margin.count) + right + margin
    }

    /// What stands on the left and on the right.
    private func sides(_ chosen: [Int: String]) -> (left: String, right: String) {
        func side(isRight: Bool) -> String {
            parts.indices.filter { parts[$0].isRight == isRight }.compactMap { chosen[$0] }
                .joined(separator: Self.gap)
        }
        return (side(isRight: false), side(isRight: true))
    }

    private static func leastWidth(of sides: (left: String, right: String)) -> Int {
        let between = sides.left.isEmpty || sides.right.isEmpty ? 0 : 2
        return sides.left.displayWidth + between + sides.right.displayWidth
    }
}
