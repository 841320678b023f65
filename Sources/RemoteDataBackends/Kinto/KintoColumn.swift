import RemoteData

/// A column in Kinto's spelling.
struct KintoColumn: Sendable, Hashable {
    /// The name, or the names of a path with dots between them.
    let name: String

    /// - Returns: Nil for a name that Kinto has no spelling for: it takes letters, digits and low lines, and passes over
    ///   whatever names anything else without a word. A dot in a name would be read as a path.
    init?(_ path: ColumnPath) {
        guard path.names.allSatisfy(Self.isSpelled) else { return nil }
        name = path.names.joined(separator: ".")
    }

    /// Whether it is the row's id: always text, sorted by its bytes by every storage.
    var isID: Bool { name == "id" }

    /// The column with the time of the last change.
    static let stamp = "last_modified"

    /// Whether it is the time of the last change: always an integer.
    var isStamp: Bool { name == Self.stamp }

    private static func isSpelled(_ name: String) -> Bool {
        !name.isEmpty && name.unicodeScalars.allSatisfy { $0 == "_" || isLetterOrDigit($0) }
    }

    /// Letters of older versions of Unicode only: the server's may be an old one.
    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
            .decimalNumber:
            scalar.properties.age.map { $0.major <= 12 } ?? false
        default: false
        }
    }
}
