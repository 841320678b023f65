/// Cuts the text of a where clause or sort order into tokens.
struct ClauseScanner: Sendable {
    /// The longest text that is read, in bytes.
    static let textLimit = 1 << 20

    private let scalars: [Unicode.Scalar]
    private var position = 0

    init(_ text: String) throws(RemoteDataError) {
        guard text.utf8.count <= Self.textLimit else {
            let position = String(decoding: text.utf8.prefix(Self.textLimit), as: UTF8.self).unicodeScalars
                .count
            throw RemoteDataError.clause("The text is longer than \(Self.textLimit) bytes", at: position - 1)
        }
        scalars = Array(text.unicodeScalars)
    }

    /// The next token.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidClause` for what can be no token.
    mutating func next() throws(RemoteDataError) -> ClauseToken {
        while let scalar = peek(), scalar.properties.isWhitespace { position += 1 }
        let start = position
        guard let scalar = peek() else { return ClauseToken(kind: .end, start: start) }
        let kind: ClauseToken.Kind =
            switch scalar {
            case "'": .text(try quoted("'", "string"))
            case "0"..."9": .number(try number())
            case ".": .number(try number())
            case "\"": try names()
            case _ where Self.startsName(scalar): try names()
            default: .symbol(try symbol())
            }
        return ClauseToken(kind: kind, start: start)
    }

    private func peek(_ offset: Int = 0) -> Unicode.Scalar? {
        position + offset < scalars.count ? scalars[position + offset] : nil
    }

    private mutating func take(while accepts: (Unicode.Scalar) -> Bool) -> String {
        var result = String.UnicodeScalarView()
        while let scalar = peek(), accepts(scalar) {
            result.append(scalar)
            position += 1
        }
        return String(result)
    }

    /// Reads what stands in quotes, doubled ones standing for themselves.
    private mutating func quoted(_ quote: Unicode.Scalar, _ what: String) throws(RemoteDataError) -> String {
        let start = position
        var result = String.UnicodeScalarView()
        position += 1
        while let scalar = peek() {
            position += 1
            if scalar == quote {
                guard peek() == quote else { return String(result) }
                position += 1
            }
            result.append(scalar)
        }
        throw RemoteDataError.clause("The \(what) that starts here has no closing \(quote)", at: start)
    }
}

// Names.
extension ClauseScanner {
    private static func startsName(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "_" || scalar.properties.isXIDStart
    }

    private mutating func names() throws(RemoteDataError) -> ClauseToken.Kind {
        var isWord = peek() != "\""
        var names = [try name()]
        while peek() == "." {
            position += 1
            isWord = false
            names.append(try name())
        }
        return isWord ? .word(names[0]) : .path(names)
    }

    private mutating func name() throws(RemoteDataError) -> String {
        guard let first = peek(), first == "\"" || Self.startsName(first) else {
            throw RemoteDataError.clause("A name is expected after the dot", at: position)
        }
        if first == "\"" { return try quoted("\"", "name") }
        return take { $0.properties.isXIDContinue }
    }
}

// Numbers.
extension ClauseScanner {
    private mutating func number() throws(RemoteDataError) -> String {
        let start = position
        var result = digits()
        if peek() == "." {
            position += 1
            result += "." + digits()
        }
        guard result != "." else {
            throw RemoteDataError.clause("A name or number is expected around the dot", at: start)
        }
        if peek() == "e" || peek() == "E" {
            position += 1
            result += "e" + take { $0 == "+" || $0 == "-" }
            let exponent = digits()
            guard !exponent.isEmpty else {
                throw RemoteDataError.clause("The digits of the exponent are missing", at: position)
            }
            result += exponent
        }
        if let next = peek(), next == "." || next == "\"" || Self.startsName(next) {
            throw RemoteDataError.clause(
                "A number ends here, but '\(next)' follows it directly",
                at: position
            )
        }
        return result
    }

    private mutating func digits() -> String { take { ("0"..."9").contains($0) } }
}

// Signs.
extension ClauseScanner {
    /// What people write who come from another language, and what to write instead.
    private static let hints: [(String, String)] = [
        ("==", "Write = instead of =="), ("=>", "Write >= instead of =>"), ("=<", "Write <= instead of =<"),
        ("&&", "Write AND instead of &&"), ("||", "Write OR instead of ||"), ("!", "Write NOT instead of !"),
        ("`", "Column names with unusual characters stand in double quotes"),
        ("[", "Column names with unusual characters stand in double quotes"),
        ("‘", "Text stands in straight single quotes"), ("’", "Text stands in straight single quotes"),
        ("“", "Text stands in straight single quotes"), ("”", "Text stands in straight single quotes"),
        (";", "A clause is one condition without ;"), ("--", "Comments are not supported"),
        ("/*", "Comments are not supported"), ("*", "Arithmetic is not supported"),
        ("/", "Arithmetic is not supported"), ("%", "Arithmetic is not supported"),
        ("?", "Parameters are not supported; write the value"),
        (":", "Parameters are not supported; write the value"),
        ("$", "Parameters are not supported; write the value"),
    ]

    private static let symbols = ["<>", "!=", "<=", ">=", "=", "<", ">", "(", ")", ",", "-", "+"]

    private mutating func symbol() throws(RemoteDataError) -> String {
        if !starts(with: "!="), let (_, hint) = Self.hints.first(where: { starts(with: $0.0) }) {
            throw RemoteDataError.clause(hint, at: position)
        }
        guard let symbol = Self.symbols.first(where: { starts(with: $0) }) else {
            throw RemoteDataError.clause(
                "A clause cannot hold \(shown(scalars[position])) here",
                at: position
            )
        }
        position += symbol.unicodeScalars.count
        return symbol == "!=" ? "<>" : symbol
    }

    private func starts(with text: String) -> Bool {
        scalars[position...].starts(with: text.unicodeScalars)
    }

    private func shown(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .control, .format, .privateUse, .unassigned, .nonspacingMark, .enclosingMark:
            "the character U+" + String(scalar.value, radix: 16, uppercase: true)
        default: "'\(scalar)'"
        }
    }
}
