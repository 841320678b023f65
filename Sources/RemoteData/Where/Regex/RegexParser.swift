/// What is wrong with a regular expression, and at which scalar.
struct RegexSyntaxError: Error {
    /// A sentence without its full stop.
    let problem: String
    let offset: Int
}

/// Reads a regular expression by recursive descent.
///
///     choice   := sequence { '|' sequence }
///     sequence := { atom [ '*' | '+' | '?' | '{' n [ ',' [n] ] '}' ] [ '?' ] }
///     atom     := scalar | '.' | '^' | '$' | escape | '[' … ']' | '(' [ '?:' ] choice ')'
///
/// Source of what is read: the syntax page of RE2 (github.com/google/re2/wiki/Syntax).
struct RegexParser {
    /// How many states a pattern may have.
    static let stateLimit = 10_000
    /// How often something may be repeated by numbers.
    static let repetitionLimit = 1_000
    /// How deep groups may nest.
    static let depthLimit = 200

    private let scalars: [Unicode.Scalar]
    var position = 0
    private(set) var flags = RegexFlags()
    private var depth = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    /// Reads the whole pattern.
    mutating func parse() throws(RegexSyntaxError) -> RegexNode {
        try readFlags()
        let node = try choice()
        guard peek() == nil else { throw error("this ) closes no group", at: position) }
        return node
    }

    func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        position + offset < scalars.count ? scalars[position + offset] : nil
    }

    mutating func takes(_ text: String) -> Bool {
        guard scalars[position...].starts(with: text.unicodeScalars) else { return false }
        position += text.unicodeScalars.count
        return true
    }

    /// Reads while scalars are accepted.
    mutating func take(while accepts: (Unicode.Scalar) -> Bool) -> String {
        let start = position
        while let scalar = peek(), accepts(scalar) { position += 1 }
        return String(String.UnicodeScalarView(scalars[start..<position]))
    }

    func error(_ problem: String, at offset: Int) -> RegexSyntaxError {
        RegexSyntaxError(problem: "The regular expression cannot be read: " + problem, offset: offset)
    }

    /// White space and comments, where they are passed over.
    private mutating func skip() {
        while flags.passesSpace, let scalar = peek() {
            if scalar == "#" {
                while let scalar = peek(), scalar != "\n" { position += 1 }
            } else if scalar == " " || (9...13).contains(scalar.value) {
                position += 1
            } else {
                return
            }
        }
    }
}

// MARK: - Parts

extension RegexParser {
    private mutating func choice() throws(RegexSyntaxError) -> RegexNode {
        var parts = [try sequence()]
        while takes("|") { parts.append(try sequence()) }
        guard parts.count > 1 else { return parts[0] }
        return try checked(RegexNode(.choice(parts)), at: position)
    }

    private mutating func sequence() throws(RegexSyntaxError) -> RegexNode {
        var parts: [RegexNode] = []
        var size = 0
        while true {
            skip()
            guard let scalar = peek(), scalar != "|", scalar != ")" else { break }
            let start = position
            let part = try repeated(atom())
            size += part.size
            guard size < Self.stateLimit else { throw tooLarge(at: start) }
            parts.append(part)
        }
        return parts.count == 1 ? parts[0] : RegexNode(.sequence(parts))
    }

    private func checked(_ node: RegexNode, at offset: Int) throws(RegexSyntaxError) -> RegexNode {
        guard node.size < Self.stateLimit else { throw tooLarge(at: offset) }
        return node
    }

    private func tooLarge(at offset: Int) -> RegexSyntaxError {
        RegexSyntaxError(
            problem: "The regular expression is too large: it takes more than \(Self.stateLimit) states",
            offset: offset
        )
    }

    private mutating func atom() throws(RegexSyntaxError) -> RegexNode {
        let start = position
        guard let scalar = peek() else { return .empty }
        switch scalar {
        case "(": return try group()
        case "[": return try set()
        case "\\": return try escape()
        case "*", "+", "?": throw nothingToRepeat(at: start)
        case "{":
            if try bounds() != nil { throw nothingToRepeat(at: start) }
        default: break
        }
        position += 1
        switch scalar {
        case ".": return RegexNode(flags.takesLineFeeds ? .any : .anyInLine)
        case "^": return RegexNode(.assertion(flags.hasLines ? .lineStart : .textStart))
        case "$": return RegexNode(.assertion(flags.hasLines ? .lineEnd : .textEnd))
        default: return literal(scalar)
        }
    }

    func literal(_ scalar: Unicode.Scalar) -> RegexNode {
        RegexNode(.scalar(flags.ignoresCase ? CaseFolding.lowercased(scalar.value) : scalar.value))
    }

    private func nothingToRepeat(at offset: Int) -> RegexSyntaxError {
        error("there is nothing in front of this to be repeated", at: offset)
    }
}

// MARK: - Repetition

extension RegexParser {
    private mutating func repeated(_ node: RegexNode) throws(RegexSyntaxError) -> RegexNode {
        skip()
        let start = position
        guard let (least, most) = try repetition() else { return node }
        // The same is found whether as much as possible is taken or as little.
        _ = takes("?")
        skip()
        let next = position
        if try repetition() != nil {
            throw error("a repetition cannot be repeated but in parentheses", at: next)
        }
        return try checked(RegexNode(.repetition(node, least, most)), at: start)
    }

    private mutating func repetition() throws(RegexSyntaxError) -> (least: Int, most: Int?)? {
        if takes("*") { return (0, nil) }
        if takes("+") { return (1, nil) }
        if takes("?") { return (0, 1) }
        return peek() == "{" ? try bounds() : nil
    }

    /// Reads `{2}`, `{2,}` or `{2,5}`; nil, and reads nothing, where a brace stands for itself.
    private mutating func bounds() throws(RegexSyntaxError) -> (least: Int, most: Int?)? {
        let start = position
        position += 1
        let least = take { ("0"..."9").contains($0) }
        var most: String? = least
        if takes(",") {
            let digits = take { ("0"..."9").contains($0) }
            most = digits.isEmpty ? nil : digits
        }
        guard !least.isEmpty, takes("}") else {
            position = start
            return nil
        }
        let bounds = (least: Int(least) ?? .max, most: most.map { Int($0) ?? .max })
        guard max(bounds.least, bounds.most ?? 0) <= Self.repetitionLimit else {
            throw error("nothing can be repeated more than \(Self.repetitionLimit) times", at: start)
        }
        guard bounds.least <= bounds.most ?? .max else {
            throw error("the most repetitions are fewer than the least", at: start)
        }
        return bounds
    }
}

// MARK: - Groups and flags

extension RegexParser {
    /// What stands behind `(?` elsewhere, and what of it is not supported.
    private static let groups = [
        ("(?=", "looking ahead is not supported"), ("(?!", "looking ahead is not supported"),
        ("(?<=", "looking behind is not supported"), ("(?<!", "looking behind is not supported"),
        ("(?P=", "back references are not supported"), ("(?P<", "groups without a name only are supported"),
        ("(?<", "groups without a name only are supported"), ("(?>", "atomic groups are not supported"),
        ("(?#", "comments are supported behind a # only, with the flag x"),
    ]

    private mutating func group() throws(RegexSyntaxError) -> RegexNode {
        let start = position
        if let (_, problem) = Self.groups.first(where: { scalars[start...].starts(with: $0.0.unicodeScalars) }
        ) {
            throw error(problem, at: start)
        }
        guard depth < Self.depthLimit else {
            throw error("groups nest more than \(Self.depthLimit) deep", at: start)
        }
        if !takes("(?:"), takes("(?") {
            throw error("flags are supported once only, at the start, as (?i) is", at: start)
        }
        if position == start { position += 1 }
        depth += 1
        defer { depth -= 1 }
        let node = try choice()
        guard takes(")") else { throw error("the group that starts here has no closing )", at: start) }
        return node
    }

    private mutating func readFlags() throws(RegexSyntaxError) {
        guard peek() == "(", peek(1) == "?", let first = peek(2), first == "-" || Self.isLetter(first),
            first != "P"
        else { return }
        position += 2
        while let flag = peek(), flag != ")" {
            switch flag {
            case "i": flags.ignoresCase = true
            case "m": flags.hasLines = true
            case "s": flags.takesLineFeeds = true
            case "x": flags.passesSpace = true
            case ":": throw error("flags are supported for the whole pattern only, as (?i) is", at: position)
            default: throw error("there are no flags but i, m, s and x", at: position)
            }
            position += 1
        }
        guard takes(")") else { throw error("the flags that start here have no closing )", at: 0) }
    }

    static func isLetter(_ scalar: Unicode.Scalar) -> Bool {
        ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
}
