import RemoteData

/// A regular expression with its meaning straight from the definition: where matches that begin at a place may end.
indirect enum RegexTree {
    case scalar(Unicode.Scalar)
    case any
    /// As written, with what it holds.
    case set(String, @Sendable (Unicode.Scalar) -> Bool)
    case start, end, boundary, noBoundary
    case sequence([RegexTree])
    case choice([RegexTree])
    case repetition(RegexTree, Int, Int?, isLazy: Bool)

    /// How the expression is meant as a whole.
    struct Flags {
        var ignoresCase = false
        var hasLines = false
        var takesLineFeeds = false

        var text: String {
            let letters = (ignoresCase ? "i" : "") + (hasLines ? "m" : "") + (takesLineFeeds ? "s" : "")
            return letters.isEmpty ? "" : "(?\(letters))"
        }
    }

    var text: String {
        switch self {
        case .scalar(let scalar): scalar == "\n" ? "\\n" : scalar == "." ? "\\." : String(scalar)
        case .any: "."
        case .set(let text, _): text
        case .start: "^"
        case .end: "$"
        case .boundary: "\\b"
        case .noBoundary: "\\B"
        case .sequence(let parts): "(?:" + parts.map(\.text).joined() + ")"
        case .choice(let parts): "(" + parts.map(\.text).joined(separator: "|") + ")"
        case .repetition(let part, let least, let most, let isLazy):
            "(?:\(part.text))" + Self.sign(least, most) + (isLazy ? "?" : "")
        }
    }

    private static func sign(_ least: Int, _ most: Int?) -> String {
        switch (least, most) {
        case (0, nil): "*"
        case (1, nil): "+"
        case (0, 1): "?"
        case (_, nil): "{\(least),}"
        case (least, let most?) where most == least: "{\(least)}"
        case (_, let most?): "{\(least),\(most)}"
        }
    }

    /// Whether there is a repetition of what may read nothing, of which other engines take fewer ways.
    var repeatsNothing: Bool {
        switch self {
        case .scalar, .any, .set, .start, .end, .boundary, .noBoundary: false
        case .sequence(let parts), .choice(let parts): parts.contains(where: \.repeatsNothing)
        case .repetition(let part, _, _, _): part.mayReadNothing || part.repeatsNothing
        }
    }

    private var mayReadNothing: Bool {
        switch self {
        case .scalar, .any, .set: false
        case .start, .end, .boundary, .noBoundary: true
        case .sequence(let parts): parts.allSatisfy(\.mayReadNothing)
        case .choice(let parts): parts.contains(where: \.mayReadNothing)
        case .repetition(let part, let least, _, _): least == 0 || part.mayReadNothing
        }
    }

    /// Whether it is found anywhere.
    func isFound(in text: [Unicode.Scalar], _ flags: Flags) -> Bool {
        (0...text.count).contains { !ends(text, $0, flags).isEmpty }
    }

    private func ends(_ text: [Unicode.Scalar], _ start: Int, _ flags: Flags) -> Set<Int> {
        func takes(_ accepts: (Unicode.Scalar) -> Bool) -> Set<Int> {
            start < text.count && accepts(text[start]) ? [start + 1] : []
        }
        func lower(_ scalar: Unicode.Scalar) -> String {
            flags.ignoresCase ? scalar.properties.lowercaseMapping : String(scalar)
        }
        let isWord = { (place: Int) in
            text.indices.contains(place)
                && (text[place] == "_" || text[place].isASCII && Character(text[place]).isLetter)
        }
        switch self {
        case .scalar(let scalar):
            return takes { lower($0).unicodeScalars.elementsEqual(lower(scalar).unicodeScalars) }
        case .any: return takes { flags.takesLineFeeds || $0 != "\n" }
        case .set(_, let holds): return takes(holds)
        case .start: return start == 0 || flags.hasLines && text[start - 1] == "\n" ? [start] : []
        case .end: return start == text.count || flags.hasLines && text[start] == "\n" ? [start] : []
        case .boundary: return isWord(start - 1) != isWord(start) ? [start] : []
        case .noBoundary: return isWord(start - 1) == isWord(start) ? [start] : []
        case .sequence(let parts):
            return parts.reduce([start]) { places, part in
                places.reduce(into: []) { $0.formUnion(part.ends(text, $1, flags)) }
            }
        case .choice(let parts): return parts.reduce(into: []) { $0.formUnion($1.ends(text, start, flags)) }
        case .repetition(let part, let least, let most, _):
            var places: Set<Int> = [start]
            var found: Set<Int> = least == 0 ? places : []
            // More often than there are places, nothing new is reached.
            for count in 1...max(1, min(most ?? .max, least + text.count + 1)) where most != 0 {
                places = places.reduce(into: []) { $0.formUnion(part.ends(text, $1, flags)) }
                if count >= least { found.formUnion(places) }
            }
            return found
        }
    }
}

extension RegexTree {
    /// A random expression over few letters.
    init(_ random: inout SeededGenerator, depth: Int = 3, ofLettersOnly: Bool = false) {
        if depth > 0, random.chance(2) {
            func part() -> RegexTree { RegexTree(&random, depth: depth - 1, ofLettersOnly: ofLettersOnly) }
            switch random.number(0..<3) {
            case 0: self = .sequence((0..<random.number(0..<4)).map { _ in part() })
            case 1: self = .choice((0..<random.number(2..<4)).map { _ in part() })
            default:
                let least = random.number(0..<3)
                let most = random.chance(2) ? nil : least + random.number(0..<3)
                self = .repetition(part(), least, most, isLazy: random.chance(3))
            }
            return
        }
        switch random.number(0..<12) {
        case 0: self = .any
        case 1: self = .start
        case 2: self = .end
        case 3: self = .boundary
        case 4: self = .noBoundary
        case 5: self = .set("[ab]", { $0 == "a" || $0 == "b" })
        case 6: self = .set("[^ab]", { $0 != "a" && $0 != "b" })
        case 7: self = .set("\\W", { $0 != "_" && !($0.isASCII && Character($0).isLetter) })
        case 8: self = .set("[^\\w.]", { $0 != "." && $0 != "_" && !($0.isASCII && Character($0).isLetter) })
        default:
            self = .scalar(
                random.pick(ofLettersOnly ? ["a", "b", "c", ".", "_"] : ["a", "b", "B", "é", "\n", "."])
            )
        }
    }
}
