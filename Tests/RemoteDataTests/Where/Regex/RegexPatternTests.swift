import RemoteData
import Testing

@Suite struct RegexPatternTests {
    private func check(_ cases: [(pattern: String, text: String, isFound: Bool)]) throws {
        for (pattern, text, isFound) in cases {
            #expect(try Where.RegexPattern(pattern).matches(text) == isFound, "'\(pattern)' in '\(text)'")
        }
    }

    @Test func literalsAreFoundAnywhere() throws {
        try check([
            ("", "", true), ("", "abc", true), ("b", "abc", true), ("bc", "abc", true), ("cb", "abc", false),
            ("abcd", "abc", false), ("a", "", false), ("ab", "aab", true), ("aab", "aaab", true),
            ("é", "é", true),
            ("é", "e\u{301}", false), ("e", "e\u{301}", true), ("😀", "x😀y", true), ("]", "]", true),
            ("}", "}", true),
            ("a-b", "a-b", true), (",", ",", true), ("日本", "在日本", true), ("\u{0}", "a\u{0}b", true),
        ])
    }

    @Test func aDotIsOneScalarButALineFeed() throws {
        try check([
            (".", "", false), (".", "x", true), (".", "\n", false), (".", "\r", true), ("^.$", "😀", true),
            ("^.$", "e\u{301}", false), ("^..$", "e\u{301}", true), ("a.c", "abc", true),
            ("a.c", "a\nc", false),
            ("(?s)a.c", "a\nc", true), ("(?s)^.$", "\n", true),
        ])
    }

    @Test func classesHoldScalars() throws {
        try check([
            ("[abc]", "xbx", true), ("[abc]", "xyz", false), ("[a-c]", "b", true), ("[a-c]", "d", false),
            ("[^a-c]", "abc", false), ("[^a-c]", "abcd", true), ("[^a]", "", false), ("[^a]", "\n", true),
            ("[]]", "]", true), ("[]a]", "a", true), ("[^]a]", "]", false), ("[^]a]", "b", true),
            ("[a-]", "-", true),
            ("[-a]", "-", true), ("[a-]", "b", false), ("[.]", "x", false), ("[$^]", "^", true),
            ("[\\]]", "]", true),
            ("[\\\\]", "\\", true), ("[\\d]", "7", true), ("[\\D]", "7", false), ("[^\\d]", "7", false),
            ("[\\w.]+$", "a.b", true), ("[a-z\\s]+X", "a bX", true), ("[\\n]", "\n", true),
            ("[\\x41-\\x43]", "B", true),
            ("[😀-😂]", "😁", true), ("[а-я]", "ж", true), ("[а-я]", "Ж", false), ("[a[]", "[", true),
            ("[[:]", ":", true),
            ("[\\d-x]", "-", true), ("[a-b-c]", "-", true), ("[^\\W]", "_", true), ("[\\W\\w]", "\n", true),
            ("[|]", "|", true),
        ])
    }

    @Test func perlClassesAreOfAscii() throws {
        try check([
            ("\\d", "5", true), ("\\d", "٣", false), ("\\D", "٣", true), ("\\w", "_", true),
            ("\\w", "é", false),
            ("\\W", "é", true), ("\\W", "abc_09AZ", false), ("\\s", "\t", true), ("\\s", "\u{B}", false),
            ("\\s", "\u{A0}", false), ("\\S", " \n\t\r\u{C}", false), ("\\S", "x", true),
            ("^\\d{3}-\\d{4}$", "555-1234", true),
        ])
    }

    @Test func anchorsAreTheEndsOfTheText() throws {
        try check([
            ("^a", "ab", true), ("^b", "ab", false), ("b$", "ab", true), ("a$", "ab", false),
            ("^$", "", true),
            ("^$", "a", false), ("a$", "a\n", false), ("^a$", "b\na", false), ("(?m)^a$", "b\na", true),
            ("(?m)^a$", "b\na\n", true), ("(?m)^$", "a\n", true), ("(?m)^$", "a\nb", false),
            ("(?m)a$", "a\r\n", false),
            ("(?m)\\Aa", "b\na", false), ("(?m)a\\z", "a\nb", false), ("\\Aa\\z", "a", true),
            ("a^b", "ab", false),
            ("a$b", "ab", false), ("^*a", "ba", true), ("(^a|b)c", "xbc", true), ("(^a|b)c", "xac", false),
            ("^a|b", "xb", true), ("$^", "", true), ("(?m)a$\\n^b", "a\nb", true), ("x*^a", "a", true),
        ])
    }

    @Test func boundariesAreThoseOfWords() throws {
        try check([
            ("\\bcat\\b", "a cat.", true), ("\\bcat\\b", "concat", false), ("\\Bcat", "concat", true),
            ("\\Bcat", "cat", false), ("\\b", "", false), ("\\B", "", true), ("\\b", "a", true),
            ("^\\b", "a", true),
            ("^\\b", " a", false), ("a\\b", "aé", true), ("\\b\\b\\ba", "a", true), ("\\B\\B", "  ", true),
            ("x\\b_", "x_", false),
        ])
    }

    @Test func alternativesAndGroups() throws {
        try check([
            ("a|b", "b", true), ("a|b", "c", false), ("^(a|b)$", "b", true), ("^(?:ab|cd)+$", "abcdab", true),
            ("^(?:ab|cd)+$", "abc", false), ("a||b", "", true), ("^(|a)$", "a", true), ("^(|a)$", "", true),
            ("()", "", true),
            ("^(a(b(c)))$", "abc", true), ("ab|cd", "acd", true), ("^a|b$", "xb", true),
            ("^(a|ab)(c|bcd)$", "abcd", true),
            ("^(?:a|ab)(?:c|bcd)(?:d*)$", "abcd", true), ("|a", "b", true), ("(|)|", "", true),
        ])
    }

    @Test func repetitions() throws {
        try check([
            ("^a*$", "", true), ("^a*$", "aaa", true), ("^a*$", "ab", false), ("^a+$", "", false),
            ("^a+$", "aa", true),
            ("^a?$", "", true), ("^a?$", "aa", false), ("^a{2}$", "aa", true), ("^a{2}$", "a", false),
            ("^a{2}$", "aaa", false),
            ("^a{2,}$", "a", false), ("^a{2,}$", "aaaa", true), ("^a{1,3}$", "aaa", true),
            ("^a{1,3}$", "aaaa", false),
            ("^a{0}$", "", true), ("^a{0}$", "a", false), ("^a{0,0}b$", "b", true),
            ("^(ab){2}$", "abab", true),
            ("^(a|b){3}$", "aba", true), ("^a*?$", "aaa", true), ("^a+?b??a{1,2}?$", "aaa", true),
            ("^(a*)*$", "aa", true),
            ("^(a*)+$", "", true), ("^(a+)+$", "aab", false), ("^(|a)*$", "aaa", true),
            ("^(|a)+$", "aaa", true),
            ("^(a?){3}$", "aaaa", false), ("^(?:){1000}$", "", true),
            ("^(((){1000}){1000}){1000}$", "", true),
            ("^((a{2}){3}){2}$", "aaaaaaaaaaaa", true), ("^((a{2}){3}){2}$", "aaaaaaaaaaa", false),
            ("^[ab]{2}c$", "abc", true),
            ("^\\b*a$", "a", true), ("^(\\ba){2}$", "aa", false), ("^x{007}$", "xxxxxxx", true),
        ])
    }

    @Test func aBraceThatIsNoRepetitionIsItself() throws {
        try check([
            ("a{", "a{", true), ("a{x}", "a{x}", true), ("a{,2}", "a{,2}", true), ("^a{,2}$", "aa", false),
            ("a{2,1", "a{2,1", true), ("a{}", "a{}", true), ("{", "{", true), ("{x", "{x", true),
            ("a{2}{", "aa{", true),
        ])
    }

    @Test func escapes() throws {
        try check([
            ("\\.", "x", false), ("\\.", ".", true), ("\\\\", "\\", true),
            ("\\n\\t\\r\\f\\v\\a", "\n\t\r\u{C}\u{B}\u{7}", true),
            ("\\x41", "A", true), ("\\x{1F600}", "😀", true), ("\\u{1F600}", "😀", true),
            ("\\u00e9", "é", true),
            ("\\u{e9}", "é", true),
            ("\\^\\$\\(\\)\\[\\]\\{\\}\\*\\+\\?\\|\\-\\/\\ \\_", "^$()[]{}*+?|-/ _", true),
            ("\\x4142", "A42", true), ("a\\x{0}b", "a\u{0}b", true), ("\\x{000041}", "A", true),
        ])
    }

    @Test func caseIsIgnoredAsILIKEDoes() throws {
        try check([
            ("abc", "ABC", false), ("(?i)abc", "ABC", true), ("(?i)ABC", "abc", true),
            ("(?i)straße", "STRAßE", true),
            ("(?i)strasse", "straße", false), ("(?i)ÄÖÜ", "äöü", true), ("(?i)σ", "Σ", true),
            ("(?i)ς", "Σ", false),
            ("(?i)[a-c]", "B", true), ("(?i)[A-C]", "b", true), ("(?i)[^a-c]", "B", false),
            ("(?i)[^a-c]", "D", true),
            ("(?i)[а-я]", "Ж", true), ("(?i)[À-Ö]", "é", true), ("(?i)\\x41", "a", true),
            ("(?i)k", "\u{212A}", true),
            ("(?i)[k]", "\u{212A}", true), ("(?i)[\u{212A}]", "k", true), ("(?i)\u{212A}", "K", true),
            ("(?i)İ", "İ", true),
            ("(?i)[İ]", "İ", true), ("(?i)İ", "i", false), ("(?i)[İ]", "i", false), ("(?i)\\W", "K", false),
            ("(?i)[\\W]", "k", false), ("(?i)[\\W]", "\u{212A}", true), ("(?i)[Z-a]", "z", true),
            ("(?i)[Z-a]", "A", true),
            ("(?i)[Z-a]", "B", false), ("(?i)𐐀", "𐐨", true), ("(?i)[𐐀-𐐂]", "𐐨", true),
        ])
    }

    @Test func theSameTextsMatchAsByILIKE() throws {
        var random = SeededGenerator(seed: 5)
        let scalars =
            (0..<400).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0x21...0x1_E943, using: &random)) }
            + "kK\u{212A}sSſßẞiIİıσςΣǅǆǄ".unicodeScalars
        for scalar in scalars where scalar.properties.isCased || scalar.value < 0x250 {
            let pattern = "\\x{" + String(scalar.value, radix: 16) + "}"
            let forms = [
                scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping, String(scalar),
            ]
            for text in forms where text.unicodeScalars.count == 1 {
                let like = Where.LikePattern("!" + String(scalar), escape: "!", ignoresCase: true).matches(
                    text
                )
                #expect(try Where.RegexPattern("(?i)" + pattern).matches(text) == like, "\(scalar) \(text)")
                #expect(
                    try Where.RegexPattern("(?i)[\(pattern)]").matches(text) == like,
                    "[\(scalar)] \(text)"
                )
                #expect(
                    try Where.RegexPattern("(?i)[^\(pattern)]").matches(text) != like,
                    "[^\(scalar)] \(text)"
                )
            }
        }
    }

    @Test func flagsStandAtTheStart() throws {
        try check([
            ("(?im)^B$", "a\nb", true), ("(?x) a b # c\n c", "abc", true), ("(?x) a\\ b", "a b", true),
            ("(?x)[ ]", " ", true),
            ("(?x)a +", "aaa", true), ("(?x)^ a {2} $", "aa", true), ("(?x)#a", "", true),
            ("(?x)( a | b )", "b", true),
            ("(?imsx)^ A . b $", "a\nB", true), ("(?ii)a", "A", true),
        ])
    }

    @Test func patternsAreTheSameByTheirBytes() throws {
        #expect(try Where.RegexPattern("a") == Where.RegexPattern("a"))
        #expect(try Where.RegexPattern("a") != Where.RegexPattern("(a)"))
        #expect(try Where.RegexPattern("\u{E9}") != Where.RegexPattern("e\u{301}"))
    }
}
