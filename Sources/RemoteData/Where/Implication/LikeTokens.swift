/// A LIKE pattern piece by piece, to compare it with another.
struct LikeTokens: Sendable {
    enum Token: Hashable, Sendable {
        case literal(UInt32)
        /// `_`
        case one
        /// `%`
        case any
    }

    let tokens: [Token]
    let ignoresCase: Bool
    /// Whether the pattern ends in a bare escape character, and so fits nothing.
    let isBroken: Bool

    init(_ pattern: Where.LikePattern) {
        var tokens: [Token] = []
        var isEscaped = false
        for scalar in pattern.text.unicodeScalars {
            if !isEscaped, scalar == pattern.escape {
                isEscaped = true
                continue
            }
            if !isEscaped, scalar == "%" {
                if tokens.last != .any { tokens.append(.any) }
            } else if !isEscaped, scalar == "_" {
                tokens.append(.one)
            } else {
                tokens.append(.literal(scalar.value))
            }
            isEscaped = false
        }
        self.tokens = tokens
        ignoresCase = pattern.ignoresCase
        isBroken = isEscaped
    }

    /// The pattern of all text that begins so.
    init(prefix: String) {
        tokens = prefix.unicodeScalars.map { .literal($0.value) } + [.any]
        ignoresCase = false
        isBroken = false
    }

    /// The text that everything the pattern fits begins with.
    var prefix: String {
        var prefix = String.UnicodeScalarView()
        for token in tokens {
            guard case .literal(let value) = token, let scalar = Unicode.Scalar(value) else { break }
            prefix.append(scalar)
        }
        return String(prefix)
    }

    /// Whether the pattern has no wildcard.
    var isText: Bool { tokens.allSatisfy(\.isLiteral) }

    /// Whether the pattern is text with one `%` behind it.
    var isPrefix: Bool { tokens.last == .any && tokens.dropLast().allSatisfy(\.isLiteral) }

    /// Whether this is seen to fit everything that another pattern fits.
    ///
    /// The other pattern is matched as if it were text, in which only this one's wildcards take wildcards.
    /// - Complexity: O(tokens of one × tokens of the other).
    func covers(_ other: LikeTokens) -> Bool {
        guard !isBroken else { return false }
        // Whether the first tokens of this fit the first tokens of the other, for every number of the latter.
        var fits = Array(repeating: false, count: other.tokens.count + 1)
        fits[0] = true
        for token in tokens {
            var next = Array(repeating: false, count: fits.count)
            if token == .any { next[0] = fits[0] }
            for (index, text) in other.tokens.enumerated() {
                switch token {
                case .any: next[index + 1] = fits[index + 1] || next[index]
                case .one: next[index + 1] = fits[index] && text != .any
                case .literal(let value):
                    next[index + 1] = fits[index] && takes(value, text, isFolded: other.ignoresCase)
                }
            }
            fits = next
        }
        return fits.last ?? false
    }

    private func takes(_ value: UInt32, _ token: Token, isFolded: Bool) -> Bool {
        guard case .literal(let text) = token else { return false }
        if ignoresCase { return CaseFolding.lowercased(value) == CaseFolding.lowercased(text) }
        // What is in either case there would have to be in one here.
        return !isFolded && value == text
    }
}

extension LikeTokens.Token {
    var isLiteral: Bool { if case .literal = self { true } else { false } }
}
