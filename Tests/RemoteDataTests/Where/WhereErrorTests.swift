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
        ("a NOT 5", 6, "LIKE, ILIKE, IN, BETWEEN, CONTAINS or MATCHES is expected after NOT, not a number"),
        ("a IN (SELECT", 12, "A column is expected after SELECT, not the end"),
        ("a IN (SELECT * FROM t)", 13, "Arithmetic is not supported"),
        ("a IN (SELECT b)", 14, "FROM is expected, not ')'"),
        ("a IN (SELECT b, c FROM t)", 14, "FROM is expected, not ','"),
        ("a IN (SELECT b FROM", 19, "A table is expected after FROM, not the end"),
        ("a IN (SELECT b FROM 't')", 20, "A table is expected after FROM, not text"),
        (
            "a IN (SELECT b FROM s.t)", 20,
            "A table has one name; one with a dot in it stands in double quotes"
        ),
        ("a IN (SELECT b FROM t", 21, "WHERE or the ) for the ( at character 5 is expected, not the end"),
        ("a IN (SELECT b FROM t WHERE)", 27, "A column or value is expected, not ')'"),
        ("a IN (SELECT b FROM t WHERE c = 1", 33, "WHERE or the ) for the ( at character 5 is expected"),
        (
            "a IN (SELECT b FROM t LIMIT 1)", 22,
            "WHERE or the ) for the ( at character 5 is expected, not 'LIMIT'"
        ),
        ("a CONTAINS", 10, "A value, ANY (…) or ALL (…) is expected after CONTAINS, not the end"),
        ("a CONTAINS b", 11, "is expected after CONTAINS, not 'b'; a column cannot stand here"),
        ("a CONTAINS (1)", 11, "A value, ANY (…) or ALL (…) is expected after CONTAINS, not '('"),
        ("a CONTAINS ANY", 14, "A list in parentheses is expected after ANY, not the end"),
        ("a CONTAINS ALL 1", 15, "A list in parentheses is expected after ALL, not a number"),
        ("a CONTAINS ANY (b)", 16, "A value is expected in the list of ANY, not 'b'; a column cannot"),
        ("a CONTAINS ALL (1,)", 18, "A value is expected after the comma, not ')'"),
        ("a CONTAINS ANY (1 2)", 18, "A comma or the ) for the ( at character 15 is expected, not a number"),
        ("a CONTAINS -x", 12, "A number is expected after '-', not 'x'"),
        ("a CONTAINS 1 2", 13, "AND, OR or the end of the clause is expected, not a number"),
        ("a MATCHES", 9, "A pattern in single quotes is expected after MATCHES, not the end"),
        ("a MATCHES \"x\"", 10, "double quotes are for column names"),
        ("a NOT MATCHES 5", 14, "A pattern in single quotes is expected after MATCHES, not a number"),
        (
            "a MATCHES 'x['", 12,
            "The regular expression cannot be read: the [ that starts here has no closing ]"
        ),
        ("DISTANCE(", 9, "A column of latitudes is expected after DISTANCE(, not the end"),
        ("DISTANCE(5, b, 1, 2) < 3", 9, "A column of latitudes is expected after DISTANCE(, not a number"),
        ("DISTANCE(a b, 1, 2) < 3", 11, "A comma is expected in DISTANCE, not 'b'"),
        ("DISTANCE(a, null, 1, 2) < 3", 12, "A column of longitudes is expected after the comma, not 'null'"),
        ("DISTANCE(a, b, c, 2) < 3", 15, "A number is expected after the columns of DISTANCE, not 'c'"),
        ("DISTANCE(a, b, 1, '2') < 3", 18, "A number is expected after the latitude of DISTANCE, not text"),
        ("DISTANCE(a, b, 90.5, 2) < 3", 15, "A latitude lies between -90 and 90 degrees"),
        ("DISTANCE(a, b, 1, -180.5) < 3", 18, "A longitude lies between -180 and 180 degrees"),
        ("DISTANCE(a, b, 1e999, 2) < 3", 15, "A latitude lies between"),
        ("DISTANCE(a, b, 1, 2 < 3", 20, "A closing ) is expected for the ( at character 8, not '<'"),
        ("DISTANCE(a, b, 1, 2)", 20, "<, <=, > or >= is expected after DISTANCE(…), not the end"),
        ("DISTANCE(a, b, 1, 2) = 3", 21, "<, <=, > or >= is expected after DISTANCE(…), not '='"),
        ("(DISTANCE(a, b, 1, 2)) < 3", 21, "<, <=, > or >= is expected after DISTANCE(…), not ')'"),
        ("DISTANCE(a, b, 1, 2) < c", 23, "A number is expected after <, not 'c'"),
        ("3 > DISTANCE(a, b, 1, 2)", 4, "DISTANCE stands on the left of <, <=, > or >="),
        ("\"DISTANCE\"(a, b, 1, 2) < 3", 0, "Functions such as 'DISTANCE' are not supported"),
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
