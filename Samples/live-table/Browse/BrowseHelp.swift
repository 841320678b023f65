/// The keys of the browser, as a text.
enum BrowseHelp {
    private static let keys = [
        ("↑ ↓  k j", "a row up or down"),
        ("← →  h l", "a column to the left or right"),
        ("PgUp PgDn", "a screen up or down (b and Space, Ctrl-B and Ctrl-F)"),
        ("Home End", "the first or the last row (g and G)"),
        ("Enter", "the whole row, every column of it; q or Esc goes back"),
        ("/", "finds a text in any column shown: type it, then Enter; upper and lower case are the same"),
        ("n N", "the next row with the text, or the one before"),
        ("Esc", "stops a search"),
        ("Ctrl-Z", "goes back to the shell for a while; fg returns"),
        ("?", "these keys"),
        ("q Ctrl-C", "quits"),
    ]

    /// The lines of the text, for a line of so many places.
    static func lines(width: Int) -> [String] {
        let widest = keys.map { $0.0.displayWidth + 2 }.max() ?? 0
        let indent = min(widest, max(2, width / 3))
        let margin = String(repeating: " ", count: indent)
        return keys.flatMap { key, meaning in
            let lines = meaning.wrapped(to: width - indent)
            guard key.displayWidth < indent else { return key.wrapped(to: width) + lines.map { margin + $0 } }
            return [key.filled(to: indent) + (lines.first ?? "")] + lines.dropFirst().map { margin + $0 }
        }
    }
}
