extension Character {
    /// How many places a terminal gives the character: 0, 1 or 2 (Unicode's East Asian Width, UAX #11, and emoji).
    var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if first.isASCII { return first.value < 0x20 || first.value == 0x7F ? 0 : 1 }
        let properties = first.properties
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .control, .format, .lineSeparator, .paragraphSeparator: return 0
        default: break
        }
        let isEmoji =
            properties.isEmojiPresentation || unicodeScalars.dropFirst().contains { $0.value == 0xFE0F }
        return isEmoji || Self.wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF,
        0xA000...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F,
        0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F265,
        0x20000...0x3FFFD,
    ]
}

extension String {
    /// How many places a terminal gives the text.
    var displayWidth: Int {
        utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F }
            ? utf8.count : reduce(0) { $0 + $1.displayWidth }
    }

    /// The text, cut with an ellipsis when it needs more places than there are.
    func fitted(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        var text = ""
        var taken = 0
        for character in self {
            let next = character.displayWidth
            guard taken + next <= width - 1 else { break }
            text.append(character)
            taken += next
        }
        return text + "…"
    }

    /// The text, cut at its beginning with an ellipsis when it needs more places than there are.
    func fittedAtEnd(to width: Int) -> String {
        guard displayWidth > width else { return self }
        guard width > 0 else { return "" }
        var text: [Character] = []
        var taken = 0
        for character in reversed() {
            taken += character.displayWidth
            guard taken <= width - 1 else { break }
            text.append(character)
        }
        return "…" + String(text.reversed())
    }

    /// The text cut or padded to exactly so many places.
    func filled(to width: Int) -> String {
        let text = fitted(to: width)
        return text + String(repeating: " ", count: max(0, width - text.displayWidth))
    }

    /// The text without anything that would move the cursor, change colors or write backwards.
    var printable: String {
        guard unicodeScalars.contains(where: \.isTreacherous) else { return self }
        var view = UnicodeScalarView()
        for scalar in unicodeScalars {
            switch scalar {
            case "\n", "\r": view.append("⏎")
            case "\t": view.append(" ")
            default: view.append(scalar.isTreacherous ? "\u{FFFD}" : scalar)
            }
        }
        return String(view)
    }
}

extension Unicode.Scalar {
    /// Whether a terminal might take it for a command, or write what follows in another direction.
    fileprivate var isTreacherous: Bool {
        switch value {
        case 0..<0x20, 0x7F...0x9F, 0x061C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
