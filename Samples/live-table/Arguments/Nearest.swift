extension String {
    /// The word that differs from this one by the fewest letters, if it is at most a third of them.
    func nearest(among words: [String]) -> String? {
        let best = words.map { (word: $0, distance: distance(to: $0)) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= Swift.max(1, count / 3) else { return nil }
        return best.word
    }

    /// How many letters have to be put in, taken out or replaced to make this the other (Levenshtein's distance).
    private func distance(to other: String) -> Int {
        let letters = Array(other)
        var row = Array(0...letters.count)
        for (index, letter) in enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for column in letters.indices {
                let replaced = diagonal + (letters[column] == letter ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = Swift.min(replaced, diagonal + 1, row[column] + 1)
            }
        }
        return row[letters.count]
    }
}
