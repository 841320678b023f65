import RemoteData
import Testing

@Suite struct WhereErrorTests {
    @Test(arguments: [
        ("", 0, "A condition is expected"),
        ("   ", 3, "A condition is expected"),
        ("a =", 3, "A column or value is expected after =, not the end"),
        ("= 5", 0, "A column or value is expected, not '='"),
        ("a = 5 AND", 9, "A column or value is expected, not the end"),
        ("a = AND b", 4, "A column or value is expected after =, not 'AND'; a column of that name"),
        ("a == 5", 2, "Write = instead of =="),
        ("a => 5", 2, "Write >= instead of =>"),
        ("a =< 5", 2, "Write <= instead of =<"),
        ("a = 1 && b = 2", 6, "Write AND instead of &&"),
        ("a = 1 || b = 2", 6, "Write OR instead of ||"),
        ("!a", 0, "Write NOT instead of !"),
        ("a = 'x", 4, "The string that starts here has no closing '"),
        ("\"a = 1", 0, "The name that starts here has no closing \""),
        ("a LIKE \"x%\"", 7, "double quotes are for column names"),
        ("a LIKE 5", 7, "A pattern in single quotes is expected after LIKE, not a number"),
        ("a ILIKE", 7, "A pattern in single quotes is expected after ILIKE, not the end"),
        ("a LIKE 'x!' ESCAPE '!'", 7, "The pattern ends in its escape character"),
        ("a LIKE 'x' ESCAPE '!!'", 18, "has 2 characters instead of one"),
        ("a LIKE 'x' ESCAPE ''", 18, "has 0 characters instead of one"),
        ("a LIKE 'x' ESCAPE 1", 18, "One character in single quotes is expected after ESCAPE"),
        ("lower(a) = 'x'", 0, "Functions such as 'lower' are not supported"),
        ("a = lower(b)", 4, "Functions such as 'lower' are not supported"),
        ("a.b(1)", 0, "Functions such as 'a.b' are not supported"),
        ("a = 1 b", 6, "AND, OR or the end of the clause is expected, not 'b'"),
        ("a = b = c", 6, "AND, OR or the end of the clause is expected, not '='"),
        ("a b", 2, "An operator such as =, LIKE, IN or IS NULL, or AND or OR, is expected, not 'b'"),
        ("a 'x'", 2, "is expected, not text"),
        ("(a = 1", 6, "A closing ) is expected for the ( at character 0, not the end"),
        ("a = 1)", 5, "AND, OR or the end of the clause is expected, not ')'"),
        ("()", 1, "A column or value is expected, not ')'"),
        ("a IN 5", 5, "A list in parentheses is expected after IN, not a number"),
        ("a IN (1, )", 9, "A column or value is expected after the comma, not ')'"),
        ("a IN (1 2)", 8, "A comma or the ) for the ( at character 5 is expected, not a number"),
        ("a IN (1", 7, "A comma or the ) for the ( at character 5 is expected, not the end"),
        ("a BETWEEN 1", 11, "AND is expected between the bounds of BETWEEN, not the end"),
        ("a BETWEEN 1 OR 2", 12, "AND is expected between the bounds of BETWEEN, not 'OR'"),
        ("a BETWEEN", 9, "A column or value is expected after BETWEEN, not the end"),
        ("a IS 5", 5, "NULL or NOT NULL is expected after IS, not a number"),
        ("a IS NOT x", 9, "NULL is expected after IS NOT, not 'x'"),
        ("a NOT 5", 6, "LIKE, ILIKE, IN or BETWEEN is expected after NOT, not a number"),
        ("NOT", 3, "A column or value is expected, not the end"),
        ("a = -", 5, "A number is expected after '-', not the end"),
        ("a = -b", 5, "A number is expected after '-', not 'b'"),
        ("a + 1 = 2", 2, "Arithmetic is not supported"),
        ("a = 1 * 2", 6, "Arithmetic is not supported"),
        ("a = 1 -- x", 6, "Comments are not supported"),
        ("a = ?", 4, "Parameters are not supported; write the value"),
        ("`a` = 1", 0, "Column names with unusual characters stand in double quotes"),
        ("a = ‘x’", 4, "Text stands in straight single quotes"),
        ("a = 1;", 5, "A clause is one condition without ;"),
        ("a = 5x", 5, "A number ends here, but 'x' follows it directly"),
        ("a = 1.2.3", 7, "A number ends here, but '.' follows it directly"),
        ("a = 1e", 6, "The digits of the exponent are missing"),
        ("a = .", 4, "A name or number is expected around the dot"),
        ("a. = 1", 2, "A name is expected after the dot"),
        ("a.5 = 1", 2, "A name is expected after the dot"),
        ("a = #", 4, "A clause cannot hold '#' here"),
        ("a = \u{0}", 4, "A clause cannot hold the character U+0 here"),
        ("😀 = 1", 0, "A clause cannot hold '😀' here"),
        ("é = 'e\u{301}😀' x", 10, "AND, OR or the end of the clause is expected, not 'x'"),
        ("a = and", 4, "; a column of that name stands in double quotes"),
    ])
    func saysWhatIsWrongAndWhere(text: String, position: Int, message: String) {
        let error = #expect(throws: RemoteDataError.self) { try Where(text) }
        #expect(error?.code == .invalidClause)
        #expect(error?.position == position)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func aMessageShowsNoValues() {
        for text in ["a = 1 'secret'", "a 'secret'", "a IN ('x' 'secret')"] {
            let error = #expect(throws: RemoteDataError.self) { try Where(text) }
            #expect(error?.message.contains("secret") == false)
        }
    }
}
