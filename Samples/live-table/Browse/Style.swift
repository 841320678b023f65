/// Text with colors, as parameters of the terminal's SGR command.
enum Style {
    /// A line in a style, cut or padded to a width.
    static func line(_ text: String, _ code: String, width: Int) -> String {
        "\u{1B}[0;\(code)m\(text.filled(to: width))\u{1B}[0m"
    }

    /// The colors of a row.
    static func code(_ look: Marks.Look?, isChosen: Bool) -> String {
        let weight = isChosen ? "1" : "22"
        guard let look else { return weight }
        switch (look.kind, look.isFading) {
        case (.created, false): return "\(weight);30;42"
        case (.created, true): return "\(weight);32"
        case (.updated, false): return "\(weight);30;43"
        case (.updated, true): return "\(weight);33"
        case (.removed, false): return "\(weight);97;41"
        case (.removed, true): return "\(weight);31;9"
        }
    }
}
