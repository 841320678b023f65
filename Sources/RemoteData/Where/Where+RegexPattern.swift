extension Where {
    /// A regular expression that is looked for anywhere in text.
    ///
    /// What is understood is modelled on RE2, and reads the text as Unicode scalars, without normalizing them:
    ///
    /// - `.` is any scalar but a line feed; `[a-z]` one of these, `[^a-z]` none of these.
    /// - `\d`, `\w` and `\s` are a digit, a letter, digit or `_`, and white space, each of ASCII; `\D`, `\W` and `\S`
    ///   are what is none.
    /// - `^` and `\A` are the start of the text, `$` and `\z` its end, and that alone; `\b` is where a word of `\w`
    ///   starts or ends, `\B` where none does.
    /// - `(a|b)` and `(?:a|b)` are a group of alternatives.
    /// - `*`, `+`, `?`, `{2}`, `{2,}` and `{2,5}` repeat, by numbers up to 1,000 times; a `?` behind them changes
    ///   nothing, as it is only asked whether the pattern is found.
    /// - `(?imsx)`, or some of these flags, at the start: with `i` case is ignored, by the lowercase mapping that
    ///   `ILIKE` has; with `m`, `^` and `$` are also the start and end of each line; with `s`, `.` takes line
    ///   feeds; with `x`, white space and comments behind `#` are passed over, but for spaces in brackets.
    /// - `\n \t \r \f \v \a`, `\x41`, `\x{1F600}`, `\u0041` and `\u{1F600}` are scalars, `\.` and the like the sign
    ///   itself.
    ///
    /// Back references, looking ahead or behind, named groups and Unicode properties are refused.
    public struct RegexPattern: Hashable, Sendable {
        /// The pattern as written.
        public let text: String
        let program: RegexProgram

        /// Reads a pattern.
        ///
        /// - Throws: ``RemoteDataError`` with code `invalidClause` that says what is wrong; its `position` counts the
        ///   pattern's Unicode scalars from zero. A pattern of more than 10,000 states (about one for each scalar,
        ///   repetitions written out) is refused as well.
        /// - Complexity: O(length of the pattern + states).
        public init(_ text: String) throws(RemoteDataError) {
            do throws(RegexSyntaxError) {
                try self.init(checking: text)
            } catch { throw RemoteDataError.clause(error.problem, at: error.offset) }
        }

        init(checking text: String) throws(RegexSyntaxError) {
            var parser = RegexParser(text)
            program = RegexProgram(try parser.parse(), parser.flags)
            self.text = text
        }

        /// Whether the pattern is found in a text.
        ///
        /// - Complexity: O(length of the text × states of the pattern), whatever they are: all ways to match are followed
        ///   at once.
        public func matches(_ text: String) -> Bool { matches(text.utf8Array.span) }

        /// Whether the pattern is found in a text, given as valid UTF-8.
        package func matches(_ text: borrowing Span<UInt8>) -> Bool {
            var steps = 0
            return matches(text, steps: &steps)
        }

        /// The same, and adds how many states were looked at: at most all of them for each scalar, and for the end.
        package func matches(_ text: borrowing Span<UInt8>, steps: inout Int) -> Bool {
            var search = RegexSearch(program)
            defer { steps += search.steps }
            return search.matches(text)
        }

        /// How many states the pattern has.
        package var stateCount: Int { program.instructions.count }

        /// Whether both are the same bytes.
        public static func == (left: RegexPattern, right: RegexPattern) -> Bool {
            left.text.hasSameBytes(as: right.text)
        }

        /// Feeds the pattern to a hasher.
        public func hash(into hasher: inout Hasher) { hasher.combine(text) }
    }
}

extension Where.RegexPattern: CustomStringConvertible {
    /// The pattern with its operator, such as `MATCHES '^a+$'`.
    public var description: String { "MATCHES " + text.enclosed(in: "'") }
}
