/// A word, literal or sign of a where clause or sort order.
struct ClauseToken: Sendable {
    /// What it is.
    let kind: Kind
    /// Where it starts, in Unicode scalars from the beginning of the text.
    let start: Int

    enum Kind: Sendable, Equatable {
        /// One name without quotes; perhaps a keyword.
        case word(String)
        /// A name in double quotes, or several names with dots between them.
        case path([String])
        /// What stands in single quotes, quotes undoubled.
        case text(String)
        /// A number without its sign, as written.
        case number(String)
        /// An operator, parenthesis or comma; `!=` reads as `<>`.
        case symbol(String)
        /// The text is over.
        case end
    }

    /// The word in capitals when it is one of the keywords.
    ///
    /// Only ASCII letters count: `lıke` and a Kelvin sign, which Swift's `String` takes for a K, make no
    /// keyword.
    func keyword(among keywords: Set<String>) -> String? {
        guard case .word(let word) = kind, word.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let upper = word.uppercased()
        return keywords.contains(upper) ? upper : nil
    }

    /// The token in an error message; literals are not quoted, for they may be data.
    var name: String {
        switch kind {
        case .word(let word): Self.shortened(word)
        case .path(let names): Self.shortened(ColumnPath(names: names).description)
        case .text: "text"
        case .number: "a number"
        case .symbol(let symbol): "'\(symbol)'"
        case .end: "the end"
        }
    }

    private static func shortened(_ name: String) -> String {
        name.count > 60 ? "'\(name.prefix(60))…'" : "'\(name)'"
    }
}

extension RemoteDataError {
    /// An error in a where clause or sort order; `message` is a sentence without its full stop.
    static func clause(_ message: String, at position: Int) -> RemoteDataError {
        RemoteDataError(.invalidClause, "\(message) (at character \(position)).", position: position)
    }
}
