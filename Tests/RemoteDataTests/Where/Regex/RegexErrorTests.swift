import RemoteData
import Testing

@Suite struct RegexErrorTests {
    @Test(arguments: [
        ("(", 0, "the group that starts here has no closing )"), ("a(b", 1, "has no closing )"),
        ("(?:a", 0, "no closing )"),
        (")", 0, "this ) closes no group"), ("ab)c", 2, "this ) closes no group"),
        ("[", 0, "the [ that starts here"),
        ("x[a", 1, "has no closing ]"), ("[]", 0, "has no closing ]"), ("[^]", 0, "has no closing ]"),
        ("[z-a]", 1, "a range goes from one scalar"), ("[a-\\d]", 1, "a range goes"),
        ("é[b-a]", 2, "a range goes"),
        ("*", 0, "nothing in front of this"), ("a|*", 2, "nothing in front"), ("(+)", 1, "nothing in front"),
        ("{2}", 0, "nothing in front"), ("?a", 0, "nothing in front"), ("a**", 2, "cannot be repeated"),
        ("a*+", 2, "cannot be repeated"), ("a???", 3, "cannot be repeated"),
        ("a{2}{3}", 4, "cannot be repeated"),
        ("a{1001}", 1, "more than 1000 times"), ("a{2,99999999999999999999}", 1, "more than 1000 times"),
        ("a{1001,}", 1, "more than 1000 times"), ("a{3,2}", 1, "the most repetitions are fewer"),
        ("\\", 0, "backslash at the end"),
        ("a\\", 1, "backslash at the end"), ("[\\", 1, "backslash at the end"), ("a\\y", 1, "no such escape"),
        ("\\é", 0, "no such escape"), ("\\Z", 0, "no such escape"), ("[\\b]", 1, "no such escape"),
        ("(a)\\1", 3, "back references"),
        ("\\k<a>", 0, "back references"), ("(?P=a)", 0, "back references"),
        ("\\p{L}", 0, "Unicode properties"),
        ("\\0", 0, "octal"), ("\\x4", 0, "a scalar is"), ("\\xg1", 0, "a scalar is"),
        ("\\u{110000}", 0, "a scalar is"),
        ("\\u{D800}", 0, "a scalar is"), ("\\x{}", 0, "a scalar is"), ("\\x{41", 0, "a scalar is"),
        ("\\u041", 0, "a scalar is"),
        ("\\x{FFFFFFFFFFFFFFFFF}", 0, "a scalar is"), ("a(?=b)", 1, "looking ahead"),
        ("a(?!b)", 1, "looking ahead"),
        ("(?<=a)b", 0, "looking behind"), ("(?<!a)b", 0, "looking behind"), ("(?P<n>a)", 0, "without a name"),
        ("(?<n>a)", 0, "without a name"), ("(?>a)", 0, "atomic"), ("a(?#b)", 1, "comments"),
        ("a(?i)b", 1, "at the start"),
        ("(?i)(?s)a", 4, "at the start"), ("(?i:a)", 3, "whole pattern"), ("(?-i)a", 2, "no flags but"),
        ("(?U)a", 2, "no flags but"),
        ("(?i", 0, "flags that start here"), ("(?)", 0, "at the start"), ("[[:alpha:]]", 1, "[:alpha:]"),
        ("[^[:^digit:]x]", 2, "[:alpha:]"),
        ("(?x)(a # )", 4, "no closing )"),
    ])
    func saysWhatIsWrongAndWhere(pattern: String, position: Int, message: String) {
        let error = #expect(throws: RemoteDataError.self) { try Where.RegexPattern(pattern) }
        #expect(error?.code == .invalidClause)
        #expect(error?.position == position)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test(arguments: [
        ("name matches 'a('", 15), ("name MATCHES 'it''s ('", 20),
        ("é = 1 or é matches 'é\u{301}😀['", 23), ("a not matches '''''*b**'", 22),
    ])
    func aPositionInAClauseCountsFromTheStartOfTheClause(clause: String, position: Int) {
        let error = #expect(throws: RemoteDataError.self) { try Where(clause) }
        #expect(error?.position == position)
    }

    @Test func aPatternOfTooManyStatesIsRefused() throws {
        #expect(throws: Never.self) { try Where.RegexPattern(String(repeating: "a", count: 9_999)) }
        #expect(try Where.RegexPattern("(?:a{999}b){9}").stateCount == 9_001)
        for (pattern, position) in [
            (String(repeating: "a", count: 10_000), 9_999), ("(a{1000}){10}", 9), ("((a{100}){100}){100}", 9),
            ("(((a{1000}){1000}){1000}){1000}", 11), ("x(?:a{1000}|b{1000}){6}", 20),
            ("(a{1000}){9}(b{1000})", 12),
            (String(repeating: "|", count: 6_000), 6_000),
        ] {
            let error = #expect(throws: RemoteDataError.self) { try Where.RegexPattern(pattern) }
            #expect(error?.message.contains("more than 10000 states") == true)
            #expect(error?.position == position, "\(pattern.prefix(40))")
        }
    }

    @Test func theExpressionsOfAClauseAreBoundedTogether() throws {
        let one = "a matches '(b{1000}){9}'"
        #expect(throws: Never.self) { try Where(Array(repeating: one, count: 2).joined(separator: " or ")) }
        let error = #expect(throws: RemoteDataError.self) {
            try Where(Array(repeating: one, count: 3).joined(separator: " or "))
        }
        #expect(error?.message.contains("20000 states") == true)
        #expect(error?.position == 2 * (one.count + 4) + 11)
    }

    @Test func groupsNestTwoHundredDeepAndNoDeeper() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
        }
        #expect(try Where.RegexPattern(nested(200)).matches("a"))
        let error = #expect(throws: RemoteDataError.self) { try Where.RegexPattern(nested(201)) }
        #expect(error?.position == 200)
        #expect(throws: RemoteDataError.self) {
            try Where.RegexPattern(String(repeating: "(", count: 1_000_000))
        }
        #expect(throws: RemoteDataError.self) {
            try Where.RegexPattern(String(repeating: "(?:", count: 300_000))
        }
    }

    @Test func aMessageShowsNothingOfThePattern() {
        for pattern in ["secret(", "[secret", "secret**", "secret\\y", "(?<secret>a)", "secret{1001}"] {
            let error = #expect(throws: RemoteDataError.self) { try Where.RegexPattern(pattern) }
            #expect(error?.message.contains("secret") == false)
        }
    }
}
