import RemoteData

/// A pattern of `LIKE` as Backendless has it: without an escape character, since nobody says whether there is one.
struct BackendlessPattern: Sendable, Equatable {
    /// What at least the same texts fit.
    private(set) var text = ""
    /// Whether no other texts fit, where letters of two cases are two.
    private(set) var isExact = true

    /// - Parameters:
    ///   - pattern: The pattern; where it ends in its escape character nothing fits, which cannot be said.
    ///   - comparison: How the server compares text.
    init(_ pattern: Where.LikePattern, _ comparison: BackendlessTextComparison) {
        var scalars = String.UnicodeScalarView()
        var isEscaped = false
        for scalar in pattern.text.unicodeScalars {
            if !isEscaped, scalar == pattern.escape {
                isEscaped = true
                continue
            }
            let isWildcard = scalar == "%" || scalar == "_"
            // Wherever it may mean something else to the server, any character will do.
            let isLoose =
                isWildcard ? isEscaped : !Self.isPlain(scalar, pattern.ignoresCase, comparison)
            isExact = isExact && !isLoose
            scalars.append(isLoose ? "_" : scalar)
            isEscaped = false
        }
        isExact = isExact && !isEscaped
        text = String(scalars)
    }

    /// Whether a character stands for the same ones to the server as here, or for more.
    private static func isPlain(
        _ scalar: Unicode.Scalar,
        _ ignoresCase: Bool,
        _ comparison: BackendlessTextComparison
    ) -> Bool {
        guard scalar != "\\", scalar.value != 0 else { return false }
        guard ignoresCase else { return true }
        guard scalar.isASCII else { return false }
        guard scalar.properties.isAlphabetic else { return true }
        // Of ASCII, these two are what letters beyond it become in lower case.
        return comparison == .byCollation && !"kKiI".unicodeScalars.contains(scalar)
    }
}
